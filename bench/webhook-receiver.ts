import { createServer } from 'node:http'

/**
 * Receives deliveries and records the latency of each from the timestamp in its body. A request to a
 * path that ends in /hang is never answered. GET returns the count and latencies since the last GET.
 */
let count = 0
let latencies: number[] = []

const server = createServer((req, res) => {
  if (req.url === '/health/ready') {
    res.end('ready')
    return
  }
  if (req.method === 'GET') {
    res.end(JSON.stringify({ count, latencies }))
    count = 0
    latencies = []
    return
  }
  const chunks: Buffer[] = []
  req.on('data', (chunk: Buffer) => void chunks.push(chunk))
  req.on('end', () => {
    if (req.url?.endsWith('/hang')) return
    const { data } = JSON.parse(Buffer.concat(chunks).toString()) as { data: { at?: number } }
    count += 1
    if (data.at !== undefined) latencies.push(Date.now() - data.at)
    res.end('{}')
  })
})

server.listen(Number(process.env['PORT']), '127.0.0.1')
