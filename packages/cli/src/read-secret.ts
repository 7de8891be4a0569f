import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { CliError } from './cli-error.ts'
import type { Io } from './io.ts'

export type SecretReader = {
  /** The next non-empty line. */
  read(label: string): Promise<string>
  close(): void
}

/** Reads the first non-empty line of standard input; prompts and hides the input on a terminal. */
export async function readSecret(label: string, io: Io): Promise<string> {
  const reader = createSecretReader(io)
  try {
    return await reader.read(label)
  } finally {
    reader.close()
  }
}

/** For several secrets: a second reader would miss the lines that the first has read ahead. */
export function createSecretReader(io: Io): SecretReader {
  const isTerminal = io.stdin.isTTY === true
  const discard = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: io.stdin, output: discard, terminal: isTerminal })
  const iterator = lines[Symbol.asyncIterator]()
  return {
    async read(label) {
      if (isTerminal) io.note(`${label} (not shown):`)
      for (;;) {
        const next = await iterator.next()
        if (next.done === true) {
          throw new CliError('usage', `${label}: standard input is empty.`)
        }
        const secret = next.value.trim()
        if (secret !== '') return secret
      }
    },
    close: () => lines.close(),
  }
}
