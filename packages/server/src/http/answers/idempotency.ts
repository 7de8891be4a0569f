import { createHmac } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import { type Clock, HOUR_MS, later, MINUTE_MS } from '../../kernel/clock.ts'
import { type Db, purgeInPages } from '../../kernel/db.ts'
import { Problem } from '../../kernel/problem.ts'

/** spec: platform §1.4: the first answer below 500, except 429, is kept this long and replayed. */
const KEPT_MS = 24 * HOUR_MS
/** Of an answer that is kept, besides its type. */
const HEADERS_KEPT = ['etag', 'x-policy-verdict']
/** A request that names another transaction here is another request, whatever its body. */
const HEADERS_COMPARED = ['x-transaction-id']
/** A call that has not answered by now died with its process; its key may be used again. */
const RUNNING_MS = 2 * MINUTE_MS

export type IdempotencyClaim = { scope: string; key: string; secrets: readonly string[] }

declare module 'fastify' {
  interface FastifyRequest {
    idempotency: IdempotencyClaim | undefined
  }
}

export type Idempotency = {
  /** Claims the key, or answers for an earlier call; true when the reply was sent. */
  begin(req: FastifyRequest, reply: FastifyReply): Promise<boolean>
  finish(req: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<void>
  purge(now: Date): Promise<number>
}

type Kept = {
  body_hash: string
  status: number | null
  answer: string | null
  content_type: string | null
  headers: Record<string, string> | null
}

export function createIdempotency(deps: {
  db: Db
  clock: Clock
  /** Bodies may hold passwords, so what is kept of them is keyed. */
  secretKey: Buffer
  onError(err: unknown): void
}): Idempotency {
  const claim = async (scope: string, key: string, bodyHash: string): Promise<boolean> => {
    const now = deps.clock.now()
    const result = await sql`
      insert into idempotency_record (scope, key, body_hash, started_at, expires_at)
      values (${scope}, ${key}, ${bodyHash}, ${now}, ${later(now, KEPT_MS)})
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

  const find = async (scope: string, key: string): Promise<Kept | undefined> => {
    const found = await sql<Kept>`select body_hash, status, answer, content_type, headers
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
    const kept = await find(scope, key)
    replay(reply, kept, bodyHash)
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
      const held = req.idempotency
      if (held === undefined) return
      req.idempotency = undefined
      // The answer is made; that it could not be kept must not change it.
      await keep(deps.db, held, reply, payload).catch(deps.onError)
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

async function keep(
  db: Db,
  held: IdempotencyClaim,
  reply: FastifyReply,
  payload: unknown,
): Promise<void> {
  if (reply.statusCode >= 500 || reply.statusCode === 429 || !isText(payload)) {
    await sql`delete from idempotency_record
      where scope = ${held.scope} and key = ${held.key}`.execute(db)
    return
  }
  await sql`update idempotency_record set status = ${reply.statusCode},
    answer = ${withoutSecrets(payload, held.secrets)},
    content_type = ${String(reply.getHeader('content-type') ?? '')},
    headers = ${JSON.stringify(headersOf(reply))}
    where scope = ${held.scope} and key = ${held.key}`.execute(db)
}

function headersOf(reply: FastifyReply): Record<string, string> {
  const set = HEADERS_KEPT.filter((name) => reply.hasHeader(name))
  return Object.fromEntries(set.map((name) => [name, String(reply.getHeader(name))]))
}

function keyOf(req: FastifyRequest): string | undefined {
  const key = req.headers['idempotency-key']
  if (req.method !== 'POST' || key === undefined) return undefined
  if (typeof key === 'string' && /^[\x20-\x7e]{1,255}$/.test(key)) return key
  throw new Problem('invalid_request', 'Idempotency-Key must be 1 to 255 printable characters.')
}

/**
 * Keys of one organisation (or, outside any, of one user) never meet another's. Where only the
 * handler can tell the organisation, the header may be what tells it.
 */
function scopeOf(req: FastifyRequest): string | undefined {
  const { caller, tenant } = req
  if (caller.kind === 'key') return `${caller.tenant.orgId} ${resourceOf(req)}`
  if (tenant !== undefined) return `${tenant.orgId} ${resourceOf(req)}`
  if (caller.kind === 'user') {
    const named = req.headers['x-org-id']
    const who = named === undefined ? caller.userId : `${caller.userId} ${JSON.stringify(named)}`
    return `${who} ${resourceOf(req)}`
  }
  return undefined
}

/** What is called, not how its address is spelt: `%2D` and `-` are the same. */
function resourceOf(req: FastifyRequest): string {
  return `${req.method} ${req.route.url} ${JSON.stringify(req.params)}`
}

function replay(reply: FastifyReply, kept: Kept | undefined, bodyHash: string): void {
  if (kept !== undefined && kept.body_hash !== bodyHash) {
    throw new Problem(
      'idempotency_mismatch',
      'This Idempotency-Key was used with another body or transaction. Use a new key for a new request.',
    )
  }
  if (kept === undefined || kept.status === null) {
    throw new Problem(
      'idempotency_in_progress',
      'The first request with this Idempotency-Key is still running.',
    )
  }
  reply.code(kept.status).header('idempotency-replayed', 'true')
  if (kept.content_type) reply.header('content-type', kept.content_type)
  reply.headers(kept.headers ?? {})
  reply.send(kept.answer ?? '')
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
