import type { IncomingMessage } from 'node:http'

/** The text of a body; undefined if it has too many bytes, of which the rest is read and dropped. */
export function readBody(req: IncomingMessage, bytesMax: number): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    req.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= bytesMax) chunks.push(chunk)
      else {
        // A client that is still writing would not read the answer before it has written everything.
        chunks.length = 0
        resolve(undefined)
      }
    })
    req.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')))
    req.on('error', reject)
  })
}
