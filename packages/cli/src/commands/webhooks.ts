import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { ApiError, verifyWebhook, WebhookError } from '@touchstone/sdk'
import { CliError, usageError } from '../cli-error.ts'
import { command } from '../command.ts'
import type { Io } from '../io.ts'
import { numberFlag } from '../number-flag.ts'
import { type Connection, connect, organisationOf } from '../service.ts'
import { printable } from '../table.ts'

/** Interface, Limits: no payload is larger. */
const BODY_BYTES_MAX = 65_536

export const webhooksListen = command({
  path: ['webhooks', 'listen'],
  summary: 'receive deliveries here and print them, until stopped',
  details: `Registers an endpoint for as long as it runs and prints every genuine delivery, a line each. A
service sends to this machine only when it was started with ALLOW_LOOPBACK_EGRESS=true; through a
tunnel, --public-url says where the tunnel begins. With --secret nothing is registered.`,
  flags: {
    port: { type: 'string', value: 'N', summary: 'on 127.0.0.1; any free one without' },
    events: {
      type: 'string',
      multiple: true,
      value: 'TYPE,…',
      summary: 'such as integrity.violation,trace.*; may be given again; all without',
    },
    'public-url': { type: 'string', value: 'URL', summary: 'what leads here from outside' },
    secret: { type: 'string', value: 'whsec_…', summary: 'of an endpoint that is there already' },
  },
  args: {},
  async run({ flags, io }) {
    const port = numberFlag('port', flags.port, { min: 0, max: 65_535 }) ?? 0
    const isOwn = flags.secret === undefined
    if (!isOwn && flags.events !== undefined) throw usageError('--events needs a new endpoint.')
    const stop = io.stopSignal()
    const receiver = await startReceiver(port, io)
    try {
      const url = flags['public-url'] ?? receiver.url
      if (flags.secret !== undefined) receiver.secret(flags.secret)
      const connection = isOwn ? await connect(io) : undefined
      const endpoint =
        connection && (await register(connection, { url, events: typesIn(flags.events) }))
      if (endpoint !== undefined) receiver.secret(endpoint.secret)
      io.note(`Listening at ${receiver.url}. Stop with Ctrl-C.`)
      if (!stop.aborted) await once(stop, 'abort')
      await endpoint?.remove()
      return 0
    } finally {
      receiver.close()
    }
  },
})

/** Of a list with commas, of a flag given again, or of both. */
function typesIn(given: readonly string[] = []): string[] {
  return given.flatMap((list) => list.split(',')).map((type) => type.trim())
}

async function register(
  connection: Connection,
  { url, events }: { url: string; events: string[] },
) {
  const { client } = connection
  const org_id = await organisationOf(connection)
  const made = await client
    .request('POST', '/v1/orgs/{org_id}/webhooks', {
      params: { org_id },
      body: {
        url,
        description: 'touchstone webhooks listen',
        // The service knows which types there are, and says so.
        event_types: events as never[],
      },
    })
    .catch((err: unknown) => {
      if (!(err instanceof ApiError) || err.code !== 'url_not_allowed') throw err
      throw new CliError(
        err.code,
        `The service does not send to ${url} (${err.message}). Start it with ALLOW_LOOPBACK_EGRESS=true, or name a tunnel to here with --public-url.`,
      )
    })
  if (made.signing_secret === null) throw new CliError('failed', 'The service told no secret.')
  const params = { org_id, endpoint_id: made.endpoint_id }
  return {
    secret: made.signing_secret,
    remove: () => client.request('DELETE', '/v1/orgs/{org_id}/webhooks/{endpoint_id}', { params }),
  }
}

type Receiver = { url: string; secret(secret: string): void; close(): void }

async function startReceiver(port: number, io: Io): Promise<Receiver> {
  let secret: string | undefined
  const server = createServer((req, res) => {
    receive(req, secret, io).then(
      (status) => res.writeHead(status).end(),
      () => res.destroy(),
    )
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://localhost:${portOf(server)}/hook`,
    secret: (known) => {
      secret = known
    },
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

function portOf(server: Server): number {
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

/** The status to answer with. What is not genuine is told, and not printed as an event. */
async function receive(
  req: IncomingMessage,
  secret: string | undefined,
  io: Io,
): Promise<ServerResponse['statusCode']> {
  const body = await bodyOf(req)
  if (body === undefined) return 413
  if (secret === undefined) return 503
  try {
    const { event } = await verifyWebhook({ body, headers: req.headers, secret })
    io.write(io.json ? `${JSON.stringify(event)}\n` : `${describe(event)}\n`)
    return 200
  } catch (err) {
    if (!(err instanceof WebhookError)) throw err
    io.note(`${io.paint.warning('refused')} a delivery that is not genuine: ${err.message}`)
    return 401
  }
}

function describe(event: Record<string, unknown>): string {
  const { id, type, event: name, created_at: at, data, trace } = event
  return [at, type ?? name, id, JSON.stringify(data ?? trace ?? {})]
    .map((part) => printable(String(part)))
    .join('  ')
}

async function bodyOf(req: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of req) {
    size += chunk.length
    if (size > BODY_BYTES_MAX) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
