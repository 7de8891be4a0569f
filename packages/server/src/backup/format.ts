/**
 * The backup file. Everything a restore needs is in it, and nothing in it needs our code to be
 * understood:
 *
 *   TOUCHSTONE-BACKUP 1\n            magic and version of this format
 *   {"created_at":…}\n               the header below, as one line of JSON
 *   <gzip>                           frames, see there, until the end of the gzip stream
 *   sha256 <64 hex digits>\n         over every byte before this line
 *
 * so `head -n 2` shows what it holds and `head -c -72 | sha256sum` checks it. The frames carry,
 * in the order of the header's tables, the text that `COPY … TO STDOUT` gives for each.
 *
 * A frame is one letter, the length of its payload (4 bytes, big-endian) and the payload:
 *   D  a piece of the current table's COPY text, cut anywhere
 *   E  the end of the current table: {"table":…,"rows":…,"bytes":…}
 *
 * COPY's text form and not its binary one, because it means the same in PostgreSQL 14 and 18.
 */
export type BackupHeader = {
  created_at: string
  server_version: string
  /** Names of the applied migrations; a restore needs exactly these. */
  migrations: string[]
  tables: { name: string; columns: string[] }[]
  sequences: { name: string; last_value: string; is_called: boolean }[]
}

/** The result of copying one table. `bytes` is the size of the COPY text. */
export type TableProgress = { table: string; rows: number; bytes: number }

export type Frame = { type: 'D'; data: Buffer } | { type: 'E'; end: TableProgress }

export const FORMAT_VERSION = 1
const MAGIC = 'TOUCHSTONE-BACKUP'
export const TRAILER_BYTES = 72
const FRAME_HEAD_BYTES = 5
/** Bounds the memory of a reader. */
const FRAME_BYTES_MAX = 1024 * 1024

export function encodePreamble(header: BackupHeader): Buffer {
  return Buffer.from(`${MAGIC} ${FORMAT_VERSION}\n${JSON.stringify(header)}\n`)
}

export function encodeTrailer(sha256: string): Buffer {
  return Buffer.from(`sha256 ${sha256}\n`)
}

/** The digest in a trailer; undefined if it is not a trailer. */
export function decodeTrailer(trailer: Buffer): string | undefined {
  return /^sha256 ([0-9a-f]{64})\n$/.exec(trailer.toString('latin1'))?.[1]
}

/** The version in the first line; undefined if the file is not a backup. */
export function decodeVersion(line: string): number | undefined {
  const version = new RegExp(`^${MAGIC} ([0-9]{1,6})$`).exec(line)?.[1]
  return version === undefined ? undefined : Number(version)
}

export function* encodeData(data: Buffer): Generator<Buffer> {
  for (let start = 0; start < data.length; start += FRAME_BYTES_MAX) {
    yield encodeFrame('D', data.subarray(start, start + FRAME_BYTES_MAX))
  }
}

export function encodeEnd(end: TableProgress): Buffer {
  return encodeFrame('E', Buffer.from(JSON.stringify(end)))
}

function encodeFrame(type: Frame['type'], payload: Buffer): Buffer {
  const head = Buffer.alloc(FRAME_HEAD_BYTES)
  head.write(type, 0, 'latin1')
  head.writeUInt32BE(payload.length, 1)
  return Buffer.concat([head, payload])
}

/** Splits a stream of bytes into frames. */
export async function* decodeFrames(source: AsyncIterable<Buffer>): AsyncGenerator<Frame> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of source) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    while (rest.length >= FRAME_HEAD_BYTES) {
      const end = FRAME_HEAD_BYTES + rest.readUInt32BE(1)
      if (end > FRAME_HEAD_BYTES + FRAME_BYTES_MAX) throw new Error('a frame is too long')
      if (rest.length < end) break
      yield decodeFrame(rest.toString('latin1', 0, 1), rest.subarray(FRAME_HEAD_BYTES, end))
      rest = rest.subarray(end)
    }
  }
  if (rest.length > 0) throw new Error('the last frame is incomplete')
}

function decodeFrame(type: string, payload: Buffer): Frame {
  if (type === 'D') return { type, data: payload }
  // The cast is safe, because the checksum of the backup is verified before its frames are used.
  if (type === 'E') return { type, end: JSON.parse(payload.toString()) as TableProgress }
  throw new Error(`unknown frame ${JSON.stringify(type)}`)
}
