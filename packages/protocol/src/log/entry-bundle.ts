/** Entry bundles of c2sp.org/tlog-tiles: each entry after its length in two bytes, big-endian. */

export const LOG_ENTRY_BYTES_MAX = 0xffff

const LENGTH_BYTES = 2

/** Throws a RangeError if an entry is longer than 65,535 bytes. */
export function writeBundle(entries: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(entries.reduce((sum, { length }) => sum + LENGTH_BYTES + length, 0))
  let at = 0
  for (const entry of entries) {
    if (entry.length > LOG_ENTRY_BYTES_MAX) {
      throw new RangeError(`a log entry has at most ${LOG_ENTRY_BYTES_MAX} bytes`)
    }
    bytes[at] = entry.length >> 8
    bytes[at + 1] = entry.length & 0xff
    bytes.set(entry, at + LENGTH_BYTES)
    at += LENGTH_BYTES + entry.length
  }
  return bytes
}

/** Undefined unless the bytes are exactly `width` entries. */
export function readBundle(bytes: Uint8Array, width: number): Uint8Array[] | undefined {
  const entries: Uint8Array[] = []
  let at = 0
  while (at + LENGTH_BYTES <= bytes.length && entries.length < width) {
    const start = at + LENGTH_BYTES
    at = start + ((bytes[at] ?? 0) << 8) + (bytes[at + 1] ?? 0)
    if (at <= bytes.length) entries.push(bytes.subarray(start, at))
  }
  return at === bytes.length && entries.length === width ? entries : undefined
}
