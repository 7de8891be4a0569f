import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { ApiError, verifyWebhook, WebhookError } from '@touchstone/sdk'
import { CliError, usageError } from '../cli-error.ts'
import { command } from '../command.ts'
import type { Io } from '../io.ts'
import { numberFlag } from '../number-flag.ts'
import { type Connection, connect, organisationOf } from '../service.ts'
import { printable } from '../table.ts'

/** Largest webhook payload (spec: interface, Limits). */
const BODY_BYTES_MAX = 65_536

export const webhooksListen = command({
  path: ['webhooks', 'listen'],
  summary: 'receive webhook deliveries and print them until stopped',
  details: `Registers an endpoint while it runs and prints every delivery with a valid signature, one per
line. A service on this machine delivers to localhost only if it was started with
ALLOW_LOOPBACK_EGRESS=true; otherwise use a tunnel and pass its address as --public-url. With --secret
no endpoint is registered.`,
  flags: {
    port: { type: 'string', value: 'N', summary: 'port on 127.0.0.1; default: any free port' },
    events: {
      type: 'string',
      multiple: true,
      value: 'TYPE,…',
      summary: 'such as integrity.violation,trace.*; may be repeated; default: all',
    },
    'public-url': {
      type: 'string',
      value: 'URL',
      summary: 'public address that forwards to this port',
    },
    secret: { type: 'string', value: 'whsec_…', summary: 'signing secret of an existing endpoint' },
  },
  args: {},
  async run({ flags, io }) {
    const port = numberFlag('port', flags.port, { min: 0, max: 65_535 }) ?? 0
    const isNewEndpoint = flags.secret === undefined
    if (!isNewEndpoint && flags.events !== undefined)
      throw usageError('--events cannot be combined with --secret.')
    const stop = io.stopSignal()
    const receiver = await startReceiver(port, io)
    try {
      const url = flags['public-url'] ?? receiver.url
      if (flags.secret !== undefined) receiver.setSecret(flags.secret)
      const connection = isNewEndpoint ? await connect(io) : undefined
      const endpoint =
        connection && (await register(connection, { url, events: parseTypes(flags.events) }))
      if (endpoint !== undefined) receiver.setSecret(endpoint.secret)
      io.note(`Listening at ${receiver.url}. Stop with Ctrl-C.`)
      if (!stop.aborted) await once(stop, 'abort')
      await endpoint?.remove()
      return 0
    } finally {
      receiver.close()
    }
  },
})

/** Splits comma-separated lists, from one or several flags. */
function parseTypes(lists: readonly string[] = []): string[] {
  return lists.flatMap((list) => list.split(',')).map((type) => type.trim())
}

async function register(
  connection: Connection,
  { url, events }: { url: string; events: string[] },
) {
  const { client } = connection
  const org_id = await organisationOf(connection)
  const created = await client
    .request('POST', '/v1/orgs/{org_id}/webhooks', {
      params: { org_id },
      body: {
        url,
        description: 'touchstone webhooks listen',
        // The service validates the event types.
        event_types: events as never[],
      },
    })
    .catch((err: unknown) => {
      if (!(err instanceof ApiError) || err.code !== 'url_not_allowed') throw err
      throw new CliError(
        err.code,
        `The service does not deliver to ${url} (${err.message}). Start it with ALLOW_LOOPBACK_EGRESS=true, or pass the address of a tunnel with --public-url.`,
      )
    })
  if (created.signing_secret === null)
    throw new CliError('failed', 'The service did not return the signing secret.')
  const params = { org_id, endpoint_id: created.endpoint_id }
  return {
    secret: created.signing_secret,
    remove: () => client.request('DELETE', '/v1/orgs/{org_id}/webhooks/{endpoint_id}', { params }),
  }
}

type Receiver = { url: string; setSecret(secret: string): void; close(): void }

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
    setSecret: (value) => {
      secret = value
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

/** Returns the status of the response. Prints deliveries with a valid signature; others are noted on stderr. */
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
    io.note(`${io.paint.warning('rejected')} a delivery: ${err.message}`)
    return 401
  }
}

/** Trace events have `event` and `trace` instead of `type` and `data` (spec: platform §5.3). */
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
