import { createHash } from 'node:crypto'
import { Readable, type Writable } from 'node:stream'
import { ZipFile } from 'yazl'

/** Writes a ZIP file member by member as its texts are read, so that nothing has to fit into memory. */

export type Member = {
  name: string
  /** Read once, after the members before it. */
  texts(): Iterable<string> | AsyncIterable<string>
}

/** A member as it was written. */
export type WrittenMember = { name: string; bytes: number; lines: number; sha256: string }

/** The archive in pieces. `written` grows as members are complete. */
export async function* zipOf(
  members: readonly Member[],
  { at, written }: { at: Date; written: WrittenMember[] },
): AsyncGenerator<Uint8Array> {
  const zip = new ZipFile()
  // The cast is safe: yazl creates a PassThrough.
  const output = zip.outputStream as Readable & Writable
  const fail = (err: Error) => output.destroy(err)
  zip.on('error', fail)
  for (const member of members) {
    zip.addReadStreamLazy(member.name, { mtime: at, mode: 0o644 }, (cb) => {
      const content = Readable.from(hashed(member, written), { highWaterMark: 1 })
      // yazl does not listen, and an error that nothing handles would end the process.
      content.once('error', fail)
      cb(null, content)
    })
  }
  zip.end()
  yield* output
}

async function* hashed(member: Member, written: WrittenMember[]): AsyncGenerator<Buffer> {
  const hash = createHash('sha256')
  let [bytes, lines] = [0, 0]
  for await (const text of member.texts()) {
    const chunk = Buffer.from(text)
    if (chunk.length === 0) continue
    hash.update(chunk)
    bytes += chunk.length
    for (const byte of chunk) if (byte === 0x0a) lines += 1
    yield chunk
  }
  written.push({ name: member.name, bytes, lines, sha256: hash.digest('hex') })
}
