import { closeSync, fstatSync, openSync, readSync } from 'node:fs'

/** Never the whole file: a transcript of a long session has hundreds of megabytes. */
const READ_BYTES_MAX = 1024 * 1024
const NEWLINE = 0x0a

/** How far a transcript has been read. */
export type TranscriptPosition = { path: string; offset: number }

export type TranscriptLines = { lines: string[]; read: TranscriptPosition | undefined }

/**
 * The complete lines that a transcript has gained since the last position, at most the last megabyte.
 * A file that is missing, is no file or became shorter has none: a hook does not fail because of it.
 */
export function readTranscript(
  path: string | undefined,
  since: TranscriptPosition | undefined,
): TranscriptLines {
  const nothing = { lines: [], read: since }
  if (path === undefined) return nothing
  let descriptor: number
  try {
    descriptor = openSync(path, 'r')
  } catch {
    return nothing
  }
  try {
    const stats = fstatSync(descriptor)
    const known = since?.path === path && since.offset <= stats.size ? since.offset : 0
    if (!stats.isFile() || known === stats.size) return nothing
    const from = Math.max(known, stats.size - READ_BYTES_MAX)
    const bytes = Buffer.alloc(stats.size - from)
    const length = readSync(descriptor, bytes, 0, bytes.length, from)
    const end = bytes.lastIndexOf(NEWLINE, length - 1) + 1
    const start = from === known ? 0 : bytes.indexOf(NEWLINE) + 1
    const text = bytes.toString('utf8', start, Math.max(start, end))
    return {
      lines: text.split('\n').filter((line) => line !== ''),
      read: { path, offset: from + end },
    }
  } catch {
    return nothing
  } finally {
    closeSync(descriptor)
  }
}
