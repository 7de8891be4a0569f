import type { IncomingMessage, ServerResponse } from 'node:http'
import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { type LocalServer, listenLocally, refuse } from './local-server.ts'

/** The largest request has 500 tool names. */
const BODY_BYTES_MAX = 1024 * 1024

/** Serves MCP statelessly, so there is no session to keep or to hijack. */
export function serveHttp(port: number, createMcp: () => McpServer): Promise<LocalServer> {
  return listenLocally(port, (req, res) => handle(req, res, createMcp))
}

async function handle(req: IncomingMessage, res: ServerResponse, createMcp: () => McpServer) {
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
