import type { Readable } from 'node:stream'
import { parseStrictText } from '@touchstone/protocol/base'

export type Read =
  /** `ambiguity` is undefined if every program reads the same value. */
  { ok: true; value: unknown; ambiguity(): string | undefined } | { ok: false; reason: string }

/** Arguments have at most 1 MB; the rest is room for results, which clients send after a call. */
const INPUT_BYTES_MAX = 16 * 1024 * 1024

/** Reads one JSON value. Stops at the size limit and at the deadline, whatever the client still sends. */
export async function readJson(stdin: Readable, deadlineMs: number): Promise<Read> {
  const chunks: Buffer[] = []
  let bytes = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  const end = new Promise<string | undefined>((resolve) => {
    timer = setTimeout(() => resolve('the input did not end in time'), deadlineMs)
    stdin.on('data', (chunk: Buffer | string) => {
      const piece = Buffer.from(chunk)
      bytes += piece.length
      if (bytes <= INPUT_BYTES_MAX) chunks.push(piece)
      else resolve(`unreadable_arguments: the input has more than ${INPUT_BYTES_MAX} bytes`)
    })
    stdin.on('end', () => resolve(undefined))
    stdin.on('error', () => resolve('the input could not be read'))
  })
  const problem = await end
  clearTimeout(timer)
  stdin.destroy()
  if (problem !== undefined) return { ok: false, reason: problem }
  try {
    const text = Buffer.concat(chunks).toString('utf8')
    return { ok: true, value: JSON.parse(text), ambiguity: () => ambiguityOf(text) }
  } catch {
    return { ok: false, reason: 'the input is not JSON' }
  }
}

const LIMITS = {
  depthMax: 512,
  valuesMax: Number.POSITIVE_INFINITY,
  anyText: true,
  exactIntegers: true,
}

/** A duplicate key, or a number that a double does not hold. */
function ambiguityOf(text: string): string | undefined {
  const read = parseStrictText(text, LIMITS)
  return read.ok ? undefined : `unreadable_arguments: ${read.reason}`
}
