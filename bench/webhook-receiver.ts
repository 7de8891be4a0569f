import { createServer } from 'node:http'

/**
 * Takes deliveries and remembers how long each was on its way, by the time its body names. A path
 * that ends in /hang is never answered; GET tells what came since the last time it was asked.
 */
let count = 0
let waits: number[] = []

const server = createServer((req, res) => {
  if (req.url === '/health/ready') {
    res.end('ready')
    return
  }
  if (req.method === 'GET') {
    res.end(JSON.stringify({ count, waits }))
    count = 0
    waits = []
    return
  }
  const chunks: Buffer[] = []
  req.on('data', (chunk: Buffer) => void chunks.push(chunk))
  req.on('end', () => {
    if (req.url?.endsWith('/hang')) return
    const { data } = JSON.parse(Buffer.concat(chunks).toString()) as { data: { at?: number } }
    count += 1
    if (data.at !== undefined) waits.push(Date.now() - data.at)
    res.end('{}')
  })
})

server.listen(Number(process.env['PORT']), '127.0.0.1')
