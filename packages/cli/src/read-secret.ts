import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { CliError } from './cli-error.ts'
import type { Io } from './io.ts'

/** Reads the first non-empty line of standard input; prompts and hides the input on a terminal. */
export async function readSecret(label: string, io: Io): Promise<string> {
  const isTerminal = io.stdin.isTTY === true
  if (isTerminal) io.note(`${label} (not shown):`)
  const discard = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: io.stdin, output: discard, terminal: isTerminal })
  try {
    for await (const line of lines) {
      const secret = line.trim()
      if (secret !== '') return secret
    }
  } finally {
    lines.close()
  }
  throw new CliError('usage', `${label}: standard input is empty.`)
}
