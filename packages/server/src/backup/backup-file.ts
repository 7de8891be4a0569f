import { createHash, randomBytes } from 'node:crypto'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { pipeline, Readable } from 'node:stream'
import { pipeline as run } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { renameDurably } from '../durable-files.ts'
import {
  type BackupHeader,
  decodeFrames,
  decodeTrailer,
  decodeVersion,
  encodePreamble,
  encodeTrailer,
  FORMAT_VERSION,
  type Frame,
  TRAILER_BYTES,
} from './format.ts'

/** COPY text compresses well; higher levels take much longer for little gain. */
const GZIP_LEVEL = 3
const READ_BYTES = 256 * 1024
/** A header names tables and migrations; a longer one is not a backup of ours. */
const PREAMBLE_BYTES_MAX = 16 * 1024 * 1024

export type BackupFile = {
  header: BackupHeader
  fileBytes: number
  /** Must be read to the end, where the checksum is verified. */
  frames(): AsyncGenerator<Frame>
}

/**
 * Writes a complete backup or nothing: the file gets its name after it is complete and synced to
 * disk. Only the owner can read it, since it contains hashes of secrets.
 */
export async function writeBackupFile(
  file: string,
  header: BackupHeader,
  frames: AsyncIterable<Buffer>,
): Promise<number> {
  const partial = `${file}.partial-${randomBytes(6).toString('hex')}`
  const handle = await open(partial, 'wx', 0o600)
  try {
    await writeContent(handle, header, frames)
    await handle.sync()
    const { size } = await handle.stat()
    await handle.close()
    await renameDurably(partial, file)
    return size
  } catch (err) {
    await handle.close().catch(() => undefined)
    await rm(partial, { force: true })
    throw err
  }
}

/** Opens a backup after checking every byte of it. The caller closes the handle. */
export async function checkBackupFile(handle: FileHandle): Promise<BackupFile> {
  const { size: fileBytes } = await handle.stat()
  const preamble = await readPreamble(handle, Math.max(0, fileBytes - TRAILER_BYTES))
  const trailer = Buffer.alloc(TRAILER_BYTES)
  await handle.read(trailer, 0, TRAILER_BYTES, fileBytes - TRAILER_BYTES)
  const sha256 = decodeTrailer(trailer)
  if (sha256 === undefined) throw damaged('its end is missing')

  const body = { start: preamble.length, end: fileBytes - TRAILER_BYTES }
  for await (const _ of readChecked(handle, preamble, body, sha256));
  // The cast is safe after the verification of the checksum.
  return {
    header: JSON.parse(preamble.toString().split('\n')[1] ?? '') as BackupHeader,
    fileBytes,
    frames: () => decodeFrames(gunzip(readChecked(handle, preamble, body, sha256))),
  }
}

function damaged(what: string, cause?: unknown): Error {
  return new Error(`The backup file is damaged or incomplete (${what}). Use another backup.`, {
    cause,
  })
}

async function writeContent(
  handle: FileHandle,
  header: BackupHeader,
  frames: AsyncIterable<Buffer>,
): Promise<void> {
  const hash = createHash('sha256')
  const write = async (chunk: Buffer) => {
    hash.update(chunk)
    await handle.writeFile(chunk)
  }
  await write(encodePreamble(header))
  await run(
    Readable.from(frames, { objectMode: false }),
    createGzip({ level: GZIP_LEVEL }),
    async (compressed: AsyncIterable<Buffer>) => {
      for await (const chunk of compressed) await write(chunk)
    },
  )
  await handle.writeFile(encodeTrailer(hash.digest('hex')))
}

/** The two text lines at the beginning, with their newlines. */
async function readPreamble(handle: FileHandle, end: number): Promise<Buffer> {
  const first = await readLine(handle, 0, Math.min(end, 64))
  const version = first === undefined ? undefined : decodeVersion(first.toString().trimEnd())
  if (first === undefined || version === undefined) {
    throw new Error('The file is not a Touchstone backup, or its beginning is damaged.')
  }
  if (version !== FORMAT_VERSION) {
    throw new Error(
      `The backup file has format version ${version}; this release reads version ` +
        `${FORMAT_VERSION}. Use the release that wrote it.`,
    )
  }
  const second = await readLine(handle, first.length, Math.min(end, PREAMBLE_BYTES_MAX))
  if (second === undefined) throw damaged('its header is cut off')
  return Buffer.concat([first, second])
}

async function readLine(
  handle: FileHandle,
  start: number,
  end: number,
): Promise<Buffer | undefined> {
  let line: Buffer = Buffer.alloc(0)
  while (start + line.length < end) {
    const piece = Buffer.alloc(Math.min(64 * 1024, end - start - line.length))
    const { bytesRead } = await handle.read(piece, 0, piece.length, start + line.length)
    if (bytesRead === 0) return undefined
    line = Buffer.concat([line, piece.subarray(0, bytesRead)])
    const newline = line.indexOf('\n')
    if (newline >= 0) return line.subarray(0, newline + 1)
  }
  return undefined
}

/** The bytes of the body; throws at the end if the checksum does not match. */
async function* readChecked(
  handle: FileHandle,
  preamble: Buffer,
  body: { start: number; end: number },
  sha256: string,
): AsyncGenerator<Buffer> {
  const hash = createHash('sha256').update(preamble)
  for (let position = body.start; position < body.end; ) {
    const chunk = Buffer.allocUnsafe(Math.min(READ_BYTES, body.end - position))
    const { bytesRead } = await handle.read(chunk, 0, chunk.length, position)
    if (bytesRead === 0) throw damaged('it became shorter while being read')
    position += bytesRead
    const read = chunk.subarray(0, bytesRead)
    hash.update(read)
    yield read
  }
  if (hash.digest('hex') !== sha256) throw damaged('its checksum does not match')
}

async function* gunzip(compressed: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const plain = createGunzip()
  // Errors reach the reader through `plain`, which the pipeline destroys with them.
  pipeline(Readable.from(compressed, { objectMode: false }), plain, () => undefined)
  // The cast is safe, because a stream without an encoding emits buffers.
  yield* plain as AsyncIterable<Buffer>
}
