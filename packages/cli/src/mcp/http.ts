import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'

const PATH = '/mcp'
/** The largest request has 500 tool names. */
const BODY_BYTES_MAX = 1024 * 1024

export type HttpServer = { url: string; close(): Promise<void> }

/**
 * Serves MCP over HTTP to programs on this machine. It is stateless, so there is no session to keep or
 * to hijack.
 */
export async function serveHttp(port: number, createMcp: () => McpServer): Promise<HttpServer> {
  const server = createServer((req, res) => {
    handle(req, res, { port: portOf(server), createMcp }).catch(() => res.destroy())
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${portOf(server)}${PATH}`,
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

type HandlerContext = { port: number; createMcp: () => McpServer }

async function handle(
  req: IncomingMessage,
  res: ServerResponse,
  { port, createMcp }: HandlerContext,
) {
  const refused = refusalOf(req.headers, port)
  if (refused !== undefined) return refuse(res, 403, refused)
  if (new URL(req.url ?? '/', 'http://localhost').pathname !== PATH) {
    return refuse(res, 404, `Not found. MCP is served at ${PATH}.`)
  }
  // Without sessions there is no stream to open (GET) and no session to end (DELETE).
  if (req.method !== 'POST') return refuse(res, 405, 'Use POST: this server has no sessions.')
  const mcp = createMcp()
  const transport = new StreamableHTTPServerTransport({
    enableJsonResponse: true,
    maxRequestBodySize: BODY_BYTES_MAX,
  })
  res.once('close', () => void mcp.close())
  // The types differ only in optional members declared without `undefined`.
  await mcp.connect(transport as Transport)
  await transport.handleRequest(req, res)
}

/**
 * Web pages can send requests to this port too. A page cannot choose the Host header or omit its
 * Origin, so both must name this machine. Otherwise DNS rebinding would let any page use the API key
 * of the user who started the server.
 */
export function refusalOf(
  { host, origin }: { host?: string | undefined; origin?: string | undefined },
  port: number,
): string | undefined {
  const own = ['localhost', '127.0.0.1', '[::1]'].map((name) => `${name}:${port}`)
  if (host === undefined || !own.includes(host.toLowerCase()))
    return 'The Host header must name this machine and port.'
  if (origin === undefined) return undefined
  const isOwn = own.some((name) => origin.toLowerCase() === `http://${name}`)
  return isOwn ? undefined : 'Requests from this origin are refused.'
}

function refuse(res: ServerResponse, status: number, message: string): void {
  const body = { jsonrpc: '2.0', id: null, error: { code: -32_000, message } }
  res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

function portOf(server: Server): number {
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}
