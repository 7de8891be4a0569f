import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'

const PATH = '/mcp'

export type LocalServer = { url: string; close(): Promise<void> }

type Handle = (req: IncomingMessage, res: ServerResponse) => Promise<void>

/** Serves MCP over HTTP to programs on this machine; requests of web pages are refused. */
export async function listenLocally(port: number, handle: Handle): Promise<LocalServer> {
  const server = createServer((req, res) => {
    const refusal = refusalOf(req.headers, portOf(server))
    if (refusal !== undefined) return refuse(res, 403, refusal)
    if (pathOf(req) !== PATH) return refuse(res, 404, `Not found. MCP is served at ${PATH}.`)
    handle(req, res).catch(() => res.destroy())
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

/** The first of the codes that implementations of JSON-RPC may define. */
const SERVER_ERROR = -32_000

export function refuse(
  res: ServerResponse,
  status: number,
  message: string,
  code = SERVER_ERROR,
): void {
  const body = { jsonrpc: '2.0', id: null, error: { code, message } }
  res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

function pathOf(req: IncomingMessage): string | undefined {
  const url = URL.parse(req.url ?? '/', 'http://localhost')
  return url?.pathname
}

function portOf(server: Server): number {
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}
