import { createHmac } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import { type Clock, HOUR_MS, later, MINUTE_MS } from '../../kernel/clock.ts'
import { type Db, purgeInPages } from '../../kernel/db.ts'
import { Problem } from '../../kernel/problem.ts'

/** The first response below 500, except 429, is stored this long and replayed (spec: platform §1.4). */
const STORED_MS = 24 * HOUR_MS
/** Headers that are stored with the response, besides its content type. */
const HEADERS_STORED = ['etag', 'x-policy-verdict']
/** Requests that differ in these headers are different, even with the same body. */
const HEADERS_COMPARED = ['x-transaction-id']
/** A request without a response after this time is considered lost, which frees its key. */
const RUNNING_MS = 2 * MINUTE_MS

export type IdempotencyClaim = {
  scope: string
  key: string
  secrets: readonly string[]
  /** The first answer, on routes whose handler decides whether to repeat it. */
  kept?: KeptAnswer
}

export type KeptAnswer = { status: number; text: string }

declare module 'fastify' {
  interface FastifyRequest {
    idempotency: IdempotencyClaim | undefined
  }
}

export type Idempotency = {
  /** Claims the key, or replays the stored response; true if a response was sent. */
  begin(req: FastifyRequest, reply: FastifyReply): Promise<boolean>
  finish(req: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<void>
  purge(now: Date): Promise<number>
}

type StoredResponse = {
  body_hash: string
  status: number | null
  answer: string | null
  content_type: string | null
  headers: Record<string, string> | null
}

export function createIdempotency(deps: {
  db: Db
  clock: Clock
  /** Key of the body hashes, because bodies may contain passwords. */
  secretKey: Buffer
  onError(err: unknown): void
}): Idempotency {
  const claim = async (scope: string, key: string, bodyHash: string): Promise<boolean> => {
    const now = deps.clock.now()
    const result = await sql`
      insert into idempotency_record (scope, key, body_hash, started_at, expires_at)
      values (${scope}, ${key}, ${bodyHash}, ${now}, ${later(now, STORED_MS)})
      on conflict (scope, key) do update
        set body_hash = excluded.body_hash, started_at = excluded.started_at,
          expires_at = excluded.expires_at, status = null, answer = null, content_type = null,
          headers = null
        where idempotency_record.expires_at <= ${now}
          or (idempotency_record.status is null
            and idempotency_record.started_at <= ${later(now, -RUNNING_MS)})
    `.execute(deps.db)
    return Number(result.numAffectedRows ?? 0) === 1
  }

  const find = async (scope: string, key: string): Promise<StoredResponse | undefined> => {
    const found = await sql<StoredResponse>`select body_hash, status, answer, content_type, headers
      from idempotency_record where scope = ${scope} and key = ${key}`.execute(deps.db)
    return found.rows[0]
  }

  const beginAs = async (
    { scope, key }: { scope: string; key: string },
    req: FastifyRequest,
    reply: FastifyReply,
  ): Promise<boolean> => {
    const hash = createHmac('sha256', deps.secretKey)
    hash.update(Buffer.isBuffer(req.body) ? req.body : '')
    for (const name of HEADERS_COMPARED) hash.update(String(req.headers[name] ?? ''))
    const bodyHash = hash.digest('hex')
    if (await claim(scope, key, bodyHash)) {
      req.idempotency = { scope, key, secrets: req.route.config.secrets ?? [] }
      return false
    }
    const stored = assertFinished(await find(scope, key), bodyHash)
    const { secrets = [], replays } = req.route.config
    if (replays === 'handler') {
      // Kept until the handler has answered: a new answer replaces it.
      const kept = { status: stored.status, text: stored.answer ?? '' }
      req.idempotency = { scope, key, secrets, kept }
      return false
    }
    replay(reply, stored)
    return true
  }

  return {
    async begin(req, reply) {
      const key = keyOf(req)
      const scope = key === undefined ? undefined : scopeOf(req)
      if (key === undefined || scope === undefined) return false
      return beginAs({ scope, key }, req, reply)
    },

    async finish(req, reply, payload) {
      const claimed = req.idempotency
      if (claimed === undefined) return
      req.idempotency = undefined
      // A failure to store the response must not change it.
      await storeResponse(deps.db, claimed, reply, payload).catch(deps.onError)
    },

    purge: (now) =>
      purgeInPages(async (rowsMax) => {
        const gone = await sql`delete from idempotency_record where ctid = any(array(
          select ctid from idempotency_record where expires_at <= ${now}
          limit ${rowsMax}))`.execute(deps.db)
        return Number(gone.numAffectedRows ?? 0)
      }),
  }
}

async function storeResponse(
  db: Db,
  claimed: IdempotencyClaim,
  reply: FastifyReply,
  payload: unknown,
): Promise<void> {
  if (reply.statusCode >= 500 || reply.statusCode === 429 || !isText(payload)) {
    await sql`delete from idempotency_record
      where scope = ${claimed.scope} and key = ${claimed.key}`.execute(db)
    return
  }
  await sql`update idempotency_record set status = ${reply.statusCode},
    answer = ${withoutSecrets(payload, claimed.secrets)},
    content_type = ${String(reply.getHeader('content-type') ?? '')},
    headers = ${JSON.stringify(headersOf(reply))}
    where scope = ${claimed.scope} and key = ${claimed.key}`.execute(db)
}

function headersOf(reply: FastifyReply): Record<string, string> {
  const set = HEADERS_STORED.filter((name) => reply.hasHeader(name))
  return Object.fromEntries(set.map((name) => [name, String(reply.getHeader(name))]))
}

function keyOf(req: FastifyRequest): string | undefined {
  const key = req.headers['idempotency-key']
  if (req.method !== 'POST' || key === undefined) return undefined
  if (typeof key === 'string' && /^[\x20-\x7e]{1,255}$/.test(key)) return key
  throw new Problem(
    'invalid_request',
    'Idempotency-Key: must have 1 to 255 printable ASCII characters',
  )
}

/**
 * Keys are separate per organisation, or per user on routes without one. If only the handler can
 * determine the organisation, X-Org-Id is part of the scope, because it may name it.
 */
function scopeOf(req: FastifyRequest): string | undefined {
  const { caller, tenant } = req
  // A key that is bound to an agent must not see the answers to other keys.
  if (caller.kind === 'key' && caller.agentId !== null) {
    return `${caller.tenant.orgId} ${caller.agentId} ${resourceOf(req)}`
  }
  if (caller.kind === 'key') return `${caller.tenant.orgId} ${resourceOf(req)}`
  if (tenant !== undefined) return `${tenant.orgId} ${resourceOf(req)}`
  if (caller.kind === 'user') {
    const named = req.headers['x-org-id']
    const who = named === undefined ? caller.userId : `${caller.userId} ${JSON.stringify(named)}`
    return `${who} ${resourceOf(req)}`
  }
  return undefined
}

/** Built from decoded parameters, so that `%2D` and `-` give the same resource. */
function resourceOf(req: FastifyRequest): string {
  return `${req.method} ${req.route.url} ${JSON.stringify(req.params)}`
}

/** The first answer to the request with this Idempotency-Key, on routes that repeat it themselves. */
export function keptAnswer(req: FastifyRequest): KeptAnswer | undefined {
  return req.idempotency?.kept
}

function assertFinished(
  stored: StoredResponse | undefined,
  bodyHash: string,
): StoredResponse & { status: number } {
  if (stored !== undefined && stored.body_hash !== bodyHash) {
    throw new Problem(
      'idempotency_mismatch',
      'This Idempotency-Key was used with a different body or transaction. Use a new key for a new request.',
    )
  }
  if (stored === undefined || stored.status === null) {
    throw new Problem(
      'idempotency_in_progress',
      'The first request with this Idempotency-Key is still running.',
    )
  }
  return { ...stored, status: stored.status }
}

function replay(reply: FastifyReply, stored: StoredResponse & { status: number }): void {
  reply.code(stored.status).header('idempotency-replayed', 'true')
  if (stored.content_type) reply.header('content-type', stored.content_type)
  reply.headers(stored.headers ?? {})
  reply.send(stored.answer ?? '')
}

function isText(payload: unknown): payload is string | null | undefined {
  return typeof payload === 'string' || payload === null || payload === undefined
}

function withoutSecrets(payload: string | null | undefined, secrets: readonly string[]): string {
  if (payload === null || payload === undefined || secrets.length === 0) return payload ?? ''
  const body: unknown = JSON.parse(payload)
  if (typeof body !== 'object' || body === null) return payload
  const masked = Object.entries(body).map(([field, value]) => [
    field,
    secrets.includes(field) ? null : value,
  ])
  return JSON.stringify(Object.fromEntries(masked))
}
