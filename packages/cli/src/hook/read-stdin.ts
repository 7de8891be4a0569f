import type { Readable } from 'node:stream'

export type Read = { ok: true; value: unknown } | { ok: false; reason: string }

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
    return { ok: true, value: JSON.parse(Buffer.concat(chunks).toString('utf8')) }
  } catch {
    return { ok: false, reason: 'the input is not JSON' }
  }
}
