import { closeSync, copyFileSync, openSync, readSync, statSync, truncateSync } from 'node:fs'

/** The size limit of the database's log file; a full one becomes `<file>.1`. */
const BYTES_MAX = 4 * 1024 * 1024

/** How much of the log an error message can quote. */
const TAIL_BYTES = 4096

/** Safe while a server writes: it appends, so after truncation it continues at the beginning. */
export function boundLog(file: string): void {
  if (logSize(file) < BYTES_MAX) return
  copyFileSync(file, `${file}.1`)
  truncateSync(file)
}

export function logSize(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}

/** The end of the text written since the log had the size `from`. */
export function readLogSince(file: string, from: number): string {
  const size = logSize(file)
  const start = Math.max(size < from ? 0 : from, size - TAIL_BYTES)
  if (size === start) return ''
  const fd = openSync(file, 'r')
  try {
    const buffer = Buffer.alloc(size - start)
    const read = readSync(fd, buffer, 0, buffer.length, start)
    return buffer.toString('utf8', 0, read).trim()
  } finally {
    closeSync(fd)
  }
}
