import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { inflateRawSync } from 'node:zlib'

const END_OF_DIRECTORY = 0x06054b50
const DIRECTORY_ENTRY = 0x02014b50
const END_BYTES = 22

/** Writes the files of a ZIP archive without a comment into a folder, and returns their names. */
export function unzip(archive: Buffer, folder: string): string[] {
  const end = archive.length - END_BYTES
  if (archive.readUInt32LE(end) !== END_OF_DIRECTORY) throw new Error('not a ZIP archive')
  const names: string[] = []
  let at = archive.readUInt32LE(end + 16)
  for (let n = 0; n < archive.readUInt16LE(end + 10); n++) {
    if (archive.readUInt32LE(at) !== DIRECTORY_ENTRY) throw new Error('the directory is damaged')
    const [nameLength, extra, comment] = [28, 30, 32].map((offset) =>
      archive.readUInt16LE(at + offset),
    )
    const name = archive.toString('utf8', at + 46, at + 46 + (nameLength ?? 0))
    const file = archive.readUInt32LE(at + 42)
    const start = file + 30 + archive.readUInt16LE(file + 26) + archive.readUInt16LE(file + 28)
    const bytes = archive.subarray(start, start + archive.readUInt32LE(at + 20))
    const path = join(folder, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, archive.readUInt16LE(at + 10) === 0 ? bytes : inflateRawSync(bytes))
    names.push(name)
    at += 46 + (nameLength ?? 0) + (extra ?? 0) + (comment ?? 0)
  }
  return names
}
