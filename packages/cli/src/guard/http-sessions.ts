import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { type LocalServer, listenLocally, refuse } from '../mcp/local-server.ts'
import { reasonOf } from '../reason.ts'
import type { GuardSession } from './guard-session.ts'
import { createHttpTransport, type HttpTransport } from './http-transport.ts'

export type SessionsOptions = {
  port: number
  /** Connects a client to its own server. */
  start(client: Transport): Promise<GuardSession>
  note(line: string): void
  /** A session without requests and open streams ends after this time. */
  idleMsMax?: number
}

/** Each session may have a server process of its own. */
const SESSIONS_MAX = 64
const IDLE_MS_MAX = 30 * 60_000
/** The arguments of a call, which may contain a file. */
const BODY_BYTES_MAX = 16 * 1024 * 1024

const SERVER_ERROR = -32_000
const SESSION_HEADER = 'mcp-session-id'

type Session = {
  transport: HttpTransport
  guarded: GuardSession | undefined
  lastUsedMs: number
  openRequests: number
  isClosed: boolean
}

/** Serves MCP over streamable HTTP to programs on this machine, with a session for each client. */
export async function serveSessions(options: SessionsOptions): Promise<LocalServer> {
  const { port, idleMsMax = IDLE_MS_MAX } = options
  const sessions = new Map<string, Session>()

  async function handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const id = req.headers[SESSION_HEADER]
    if (id === undefined && req.method === 'POST') return begin(options, sessions, { req, res })
    const session = typeof id === 'string' ? sessions.get(id) : undefined
    if (session !== undefined) return serve(session, req, res)
    if (id === undefined) return refuse(res, 400, `The header ${SESSION_HEADER} is missing.`)
    refuse(res, 404, 'No such session. Begin a new one with initialize.')
  }

  const sweep = setInterval(
    () => {
      const since = performance.now() - idleMsMax
      for (const session of sessions.values()) {
        if (session.openRequests === 0 && session.lastUsedMs < since) close(session, options)
      }
    },
    Math.min(idleMsMax, 60_000),
  )
  sweep.unref()
  const server = await listenLocally(port, handle)
  return {
    url: server.url,
    async close() {
      clearInterval(sweep)
      await Promise.all([...sessions.values()].map((session) => close(session, options)))
      await server.close()
    },
  }
}

type Exchange = { req: IncomingMessage; res: ServerResponse }

/** A request without a session begins one if it is `initialize`; the transport refuses any other. */
async function begin(
  options: SessionsOptions,
  sessions: Map<string, Session>,
  { req, res }: Exchange,
): Promise<void> {
  if (sessions.size >= SESSIONS_MAX) {
    return refuse(res, 503, `At most ${SESSIONS_MAX} sessions can be open.`)
  }
  const transport = createHttpTransport({
    bodyBytesMax: BODY_BYTES_MAX,
    onBegin: async (id) => {
      sessions.set(id, session)
      await startServer(options, session)
    },
  })
  const session: Session = {
    transport,
    guarded: undefined,
    lastUsedMs: performance.now(),
    openRequests: 0,
    isClosed: false,
  }
  transport.onclose = () => {
    if (transport.sessionId !== undefined) sessions.delete(transport.sessionId)
    close(session, options)
  }
  await serve(session, req, res)
}

async function startServer(options: SessionsOptions, session: Session): Promise<void> {
  const { transport } = session
  try {
    session.guarded = await options.start(transport)
    session.guarded.serverClosed.then(() => close(session, options))
  } catch (err) {
    const reason = `The MCP server cannot be started: ${reasonOf(err)}`
    options.note(reason)
    // The transport is about to deliver the first request, which gets the reason as its answer.
    transport.onmessage = (message: JSONRPCMessage) => {
      const error = { code: SERVER_ERROR, message: reason }
      if ('method' in message && 'id' in message) {
        transport
          .send({ jsonrpc: '2.0', id: message.id, error })
          .finally(() => setImmediate(() => close(session, options)))
          .catch(() => undefined)
      }
    }
  }
}

async function serve(session: Session, req: IncomingMessage, res: ServerResponse): Promise<void> {
  session.lastUsedMs = performance.now()
  session.openRequests += 1
  res.once('close', () => {
    session.openRequests -= 1
    session.lastUsedMs = performance.now()
  })
  await session.transport.handle(req, res)
}

function close(session: Session, { note }: Pick<SessionsOptions, 'note'>): Promise<void> {
  if (session.isClosed) return Promise.resolve()
  session.isClosed = true
  const { guarded, transport } = session
  return (guarded === undefined ? transport.close() : guarded.close()).catch((err: unknown) =>
    note(`a session could not be closed: ${reasonOf(err)}`),
  )
}
