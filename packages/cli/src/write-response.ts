import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import type { Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import type { ReadableStream } from 'node:stream/web'
import { CliError } from './cli-error.ts'
import type { Io } from './io.ts'

export type ResponseTarget = {
  /** The file to write to, readable only by its owner; default: standard output. */
  file: string | undefined
  onChunk?(chunk: Uint8Array): void
}

/** Writes a response as it arrives. Writes bytes, because a chunk may end in the middle of a character. */
export async function writeResponse(
  answer: Response,
  { file, onChunk }: ResponseTarget,
  { stdout }: Io,
): Promise<number> {
  if (file === undefined) return copy(answer, stdout, onChunk)
  const output = createWriteStream(file, { mode: 0o600 })
  await once(output, 'open')
  const bytes = await copy(answer, output, onChunk)
  output.end()
  await finished(output)
  return bytes
}

async function copy(
  { body }: Response,
  output: Writable,
  onChunk: ResponseTarget['onChunk'],
): Promise<number> {
  if (body === null) throw new CliError('failed', 'The service sent an empty response.')
  let bytes = 0
  // The types of the DOM do not say that a body consists of bytes.
  for await (const chunk of body as ReadableStream<Uint8Array>) {
    bytes += chunk.length
    onChunk?.(chunk)
    if (!output.write(chunk)) await once(output, 'drain')
  }
  return bytes
}
