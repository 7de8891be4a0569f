import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import {
  CallToolRequestSchema,
  type CallToolResult,
  ListToolsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { onFileFinished } from './on-file-finished.ts'

export type ListedTool = {
  name: string
  description?: string
  inputSchema: object
  annotations?: object
}

/** The behaviour of a server, which a test may change while the server runs. */
export type McpBehaviour = {
  tools: readonly ListedTool[]
  call(name: string, args: unknown, server: Server): Promise<CallToolResult> | CallToolResult
}

export type TestMcpServer = {
  url: string
  behaviour: McpBehaviour
  /** Every request, with its headers. */
  requests: { method: string; headers: IncomingMessage['headers'] }[]
  /** Forgets every session, as a restart does. */
  forget(): Promise<void>
  close(): Promise<void>
}

export const ECHO: ListedTool = {
  name: 'echo',
  description: 'Repeats the text.',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
}

const PAGE = 300

/** An MCP server made with the official SDK, over streamable HTTP or the legacy SSE transport. */
export async function startMcpServer(
  kind: 'streamable' | 'sse',
  given: Partial<McpBehaviour> = {},
): Promise<TestMcpServer> {
  const behaviour: McpBehaviour = {
    tools: [ECHO],
    call: (_name, args) => ({ content: [{ type: 'text', text: JSON.stringify(args) }] }),
    ...given,
  }
  const sessions = new Map<string, StreamableHTTPServerTransport | SSEServerTransport>()
  const requests: TestMcpServer['requests'] = []
  const handle = kind === 'sse' ? handleSse : handleStreamable
  const http = createServer((req, res) => {
    requests.push({ method: req.method ?? '', headers: req.headers })
    handle({ req, res, sessions, behaviour }).catch(() => res.destroy())
  })
  http.listen(0, '127.0.0.1')
  await once(http, 'listening')
  const { port } = http.address() as AddressInfo
  const forget = async () => {
    const all = [...sessions.values()]
    sessions.clear()
    await Promise.all(all.map((session) => session.close()))
  }
  const close = async () => {
    if (!http.listening) return
    await forget()
    http.close()
    http.closeAllConnections()
    await once(http, 'close')
  }
  onFileFinished(close)
  return { url: `http://127.0.0.1:${port}/mcp`, behaviour, requests, forget, close }
}

type Exchange = {
  req: IncomingMessage
  res: ServerResponse
  sessions: Map<string, StreamableHTTPServerTransport | SSEServerTransport>
  behaviour: McpBehaviour
}

async function handleStreamable({ req, res, sessions, behaviour }: Exchange): Promise<void> {
  const id = req.headers['mcp-session-id']
  const known = typeof id === 'string' ? sessions.get(id) : undefined
  if (known instanceof StreamableHTTPServerTransport) return known.handleRequest(req, res)
  if (id !== undefined) return void res.writeHead(404).end()
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (sessionId) => void sessions.set(sessionId, transport),
    onsessionclosed: (sessionId) => void sessions.delete(sessionId),
  })
  await serverOf(behaviour).connect(transport as Transport)
  await transport.handleRequest(req, res)
}

async function handleSse({ req, res, sessions, behaviour }: Exchange): Promise<void> {
  if (req.method === 'GET') {
    const transport = new SSEServerTransport('/messages', res)
    sessions.set(transport.sessionId, transport)
    await serverOf(behaviour).connect(transport)
    return
  }
  const { searchParams } = new URL(req.url ?? '/', 'http://localhost')
  const known = sessions.get(searchParams.get('sessionId') ?? '')
  if (known instanceof SSEServerTransport) return known.handlePostMessage(req, res)
  res.writeHead(405).end()
}

/** A list with many tools has several pages. */
function serverOf(behaviour: McpBehaviour): Server {
  const server = new Server(
    { name: 'test', version: '1' },
    { capabilities: { tools: { listChanged: true }, logging: {} } },
  )
  server.setRequestHandler(ListToolsRequestSchema, ({ params }) => {
    const from = Number(params?.cursor ?? 0)
    const tools = behaviour.tools.slice(from, from + PAGE)
    const next = from + PAGE < behaviour.tools.length ? { nextCursor: String(from + PAGE) } : {}
    return { tools: [...tools], ...next } as never
  })
  server.setRequestHandler(CallToolRequestSchema, ({ params }) =>
    behaviour.call(params.name, params.arguments, server),
  )
  return server
}
