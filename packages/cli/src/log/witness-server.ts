import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import {
  cosignedMessage,
  judgeAddCheckpoint,
  type LogCheckpoint,
  type NoteKey,
  parseAddCheckpoint,
  signatureLine,
  type VerifiedSignature,
  writeCosignature,
  writeNote,
} from '@touchstone/protocol/log'
import type { WitnessKey } from './witness-key.ts'
import type { WitnessStore } from './witness-store.ts'

/** Serves tlog-witness (c2sp.org/tlog-witness; spec: log §4). */

export type WitnessOptions = {
  host: string
  port: number
  key: Pick<WitnessKey, 'key' | 'sign'>
  logs: readonly NoteKey[]
  store: WitnessStore
  /** In seconds since 1970. */
  now(): number
  /** For each judged request. */
  onJudged?(line: string): void
}

export type Witness = { url: string; close(): Promise<void> }

type Answer = { status: number; body: string; type?: string }

/** 63 hashes, and a checkpoint with a hundred signatures. */
const BODY_BYTES_MAX = 128 * 1024
const TIMEOUT_MS = 30_000
const CHECKPOINT_PATH = /^\/([0-9a-f]{64})\/checkpoint$/

export async function startWitness(options: WitnessOptions): Promise<Witness> {
  const add = createAddCheckpoint(options)
  const server = createServer((req, res) => {
    answer(req, { add, store: options.store }).then(
      (given) => respond(res, given),
      () => res.destroy(),
    )
  })
  server.requestTimeout = TIMEOUT_MS
  server.headersTimeout = TIMEOUT_MS
  server.listen(options.port, options.host)
  await once(server, 'listening')
  return {
    url: urlOf(server, options.host),
    async close() {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

type Handlers = { add(body: string): Promise<Answer>; store: WitnessStore }

async function answer(req: IncomingMessage, { add, store }: Handlers): Promise<Answer> {
  const path = URL.parse(req.url ?? '/', 'http://localhost')?.pathname ?? ''
  if (path === '/add-checkpoint') {
    if (req.method !== 'POST') return { status: 405, body: 'Use POST.\n' }
    const body = await bodyOf(req)
    if (body === undefined) return { status: 413, body: `At most ${BODY_BYTES_MAX} bytes.\n` }
    return add(body)
  }
  const [, hash = ''] = CHECKPOINT_PATH.exec(path) ?? []
  const text = store.textOf(hash)
  if (text === undefined) return { status: 404, body: 'Not found.\n' }
  return req.method === 'GET' ? { status: 200, body: text } : { status: 405, body: 'Use GET.\n' }
}

/**
 * INVARIANT: one request at a time. Otherwise a second one could be judged by a state that the
 * first one is about to replace, and the witness would go back.
 */
function createAddCheckpoint(options: WitnessOptions) {
  let last: Promise<unknown> = Promise.resolve()
  return (body: string): Promise<Answer> => {
    const next = last.then(() => addCheckpoint(body, options))
    last = next.catch(() => undefined)
    return next
  }
}

async function addCheckpoint(body: string, options: WitnessOptions): Promise<Answer> {
  const { logs, store, onJudged } = options
  const request = parseAddCheckpoint(body)
  if (!request.ok) return { status: 400, body: `${request.reason}\n` }
  const judged = judgeAddCheckpoint(request.value, {
    keysOf: (origin) => logs.filter(({ name }) => name === origin),
    latestOf: (origin) => store.latestOf(origin),
  })
  if (judged.status !== 200) {
    onJudged?.(`${judged.status} ${judged.reason}`)
    if (judged.status !== 409) return { status: judged.status, body: `${judged.reason}\n` }
    return { status: 409, type: 'text/x.tlog.size', body: `${judged.size}\n` }
  }
  const { checkpoint, signatures } = judged
  const ours = cosign(checkpoint, options)
  await store.save(writeNote(checkpoint.body, [...signatures.map(lineOf), ours]))
  onJudged?.(`200 ${checkpoint.origin} ${checkpoint.size}`)
  return { status: 200, body: ours }
}

function cosign({ body }: LogCheckpoint, { key, now }: WitnessOptions): string {
  const time = now()
  const signature = writeCosignature({ time, signature: key.sign(cosignedMessage(body, time)) })
  return lineOf({ key: key.key, signature })
}

function lineOf({ key, signature }: VerifiedSignature): string {
  return signatureLine({ name: key.name, keyId: key.id, signature })
}

/** Undefined if it is too large. */
async function bodyOf(req: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  // Leaving the loop must not close the connection before it is answered.
  for await (const chunk of req.iterator({ destroyOnReturn: false })) {
    size += chunk.length
    if (size > BODY_BYTES_MAX) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function respond(res: ServerResponse, { status, body, type }: Answer): void {
  const headers = {
    'content-type': type ?? 'text/plain; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...(status === 413 ? { connection: 'close' } : {}),
  }
  res.writeHead(status, headers).end(body)
}

function urlOf(server: Server, host: string): string {
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`
}
