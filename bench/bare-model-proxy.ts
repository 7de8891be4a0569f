import { createServer } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { Agent, request } from 'undici'

/** The baseline of the model gateway benchmark: forwards with the same undici, and does nothing else. */
const upstream = process.env['UPSTREAM'] ?? ''
const dispatcher = new Agent({ connections: null, bodyTimeout: 0, headersTimeout: 0 })

const server = createServer(async (req, res) => {
  if (req.url === '/health/ready') return void res.end('ready')
  try {
    const { host: _, connection: __, ...headers } = req.headers
    const answer = await request(upstream + (req.url ?? ''), {
      dispatcher,
      method: 'POST',
      headers,
      body: req,
    })
    const { connection: ___, 'transfer-encoding': ____, ...passed } = answer.headers
    res.writeHead(answer.statusCode, passed)
    await pipeline(answer.body, res)
  } catch {
    // A client left, or the upstream did.
    res.destroy()
  }
})
server.listen(Number(process.env['PORT']), '127.0.0.1')
process.on('SIGTERM', () => process.exit(0))
