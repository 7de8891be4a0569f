import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { CliError } from './cli-error.ts'
import type { Io } from './io.ts'

/** The first line of standard input; at a terminal it is asked for and not shown. */
export async function readSecret(what: string, io: Io): Promise<string> {
  const isTerminal = io.stdin.isTTY === true
  if (isTerminal) io.note(`${what} (not shown):`)
  const silence = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: io.stdin, output: silence, terminal: isTerminal })
  try {
    for await (const line of lines) {
      const secret = line.trim()
      if (secret !== '') return secret
    }
  } finally {
    lines.close()
  }
  throw new CliError('usage', `${what}: nothing was given on standard input.`)
}
