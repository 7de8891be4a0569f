import { createHash } from 'node:crypto'
import { isJsonObject } from '@touchstone/protocol/base'
import { CliError } from '../cli-error.ts'

const NEWLINE = 10

/** Checks that an NDJSON export arrived as it was sent: its last line has the hash of the others. */
export function createExportCheck() {
  const hash = createHash('sha256')
  let lines = 0
  // The last line, as far as it has arrived.
  let tail = Buffer.alloc(0)
  return {
    /** Without header and trailer, which is the last of the lines. */
    decisions: () => Math.max(0, lines - 2),
    push(chunk: Uint8Array): void {
      const text = Buffer.concat([tail, chunk])
      for (const byte of chunk) if (byte === NEWLINE) lines += 1
      const end = text.lastIndexOf(NEWLINE, -2) + 1
      hash.update(text.subarray(0, end))
      tail = text.subarray(end)
    },
    /** Throws if the export is incomplete or differs from its hash. */
    finish(): void {
      const trailer = parsed(tail.toString())
      const { record, sha256 } = isJsonObject(trailer) ? trailer : {}
      if (record === 'trailer' && sha256 === hash.digest('hex')) return
      throw new CliError(
        'incomplete',
        'The export is incomplete: its last line is not a trailer with the hash of all other lines. Run the command again.',
      )
    },
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
