import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Answer, type TestApp, testApp } from '#harness/app.ts'
import { CARD, textOf } from '#harness/checkpoints.ts'
import { furnish, type Ids } from '#harness/furnished.ts'
import { resolveSchema, type Schema } from '#harness/openapi.ts'

/**
 * Somebody whose own organisation has one of everything makes requests that are valid but for one id,
 * which is of another organisation: every place in which a path, a query or a body has one, alone.
 */
type Operation = {
  method: string
  path: string
  queries: string[]
  body: Schema | undefined
}
type Place = { in: 'path' | 'query' | 'body'; name: string }

let t: TestApp
let owner: string
let victim: Ids
let own: Ids
let attacker: string
let operations: Operation[]
let document: object
let count = 0

/** Fields that contain ids under another name. */
const SAME: Readonly<Record<string, string>> = {
  target_agent_id: 'agent_id',
  agent_a: 'agent_id',
  agent_b: 'second_agent_id',
  counterparty_id: 'agent_id',
  agent_ids: 'agent_id',
  decision_ids: 'decision_id',
  prior_trace_ids: 'trace_id',
  card_gap_ids: 'checkpoint_id',
}
const idOf = (ids: Ids, name: string): string | undefined => ids[SAME[name] ?? name]

/** Texts that schemas do not describe well enough. */
const TEXTS: Readonly<Record<string, () => string>> = {
  tool: () => 'search',
  thinking: () => textOf(count++),
  name: () => `Name ${count++}`,
  slug: () => `slug-${count++}`,
  email: () => `person-${count++}@example.com`,
  url: () => 'https://example.com/hook',
  condition: () => "tool == 'refund'",
  from: () => '2026-01-01T00:00:00Z',
  to: () => '2026-02-01T00:00:00Z',
}

/** A value that fits the schema: members that are required, and all that are ids. */
function exampleOf(schema: unknown, name: string, ids: Ids, depth = 0): unknown {
  const given = resolveSchema(document, schema as Schema) as Record<string, never>
  const {
    type,
    properties,
    items,
    anyOf,
    required = [],
  } = given as {
    type?: string
    properties?: Record<string, Schema>
    items?: Schema
    anyOf?: Schema[]
    required?: string[]
  }
  if (name === 'card') return CARD
  if (name === 'agent_ids') return [ids['agent_id'], ids['second_agent_id']]
  const id = idOf(ids, name)
  if (items !== undefined) return [id ?? exampleOf(items, name.replace(/s$/, ''), ids, depth + 1)]
  if (id !== undefined) return id
  if (TEXTS[name] !== undefined) return TEXTS[name]()
  if (given['const'] !== undefined) return given['const']
  if (given['enum'] !== undefined) return given['enum'][0]
  if (anyOf?.[0] !== undefined) return exampleOf(anyOf[0], name, ids, depth + 1)
  if (properties !== undefined) {
    const members = Object.entries(properties).filter(
      ([member]) =>
        required.includes(member) || member === 'thinking' || (depth < 3 && idOf(ids, member)),
    )
    return Object.fromEntries(
      members.map(([member, inner]) => [member, exampleOf(inner, member, ids, depth + 1)]),
    )
  }
  if (type === 'integer' || type === 'number') return Math.max(1, given['minimum'] ?? 1)
  if (type === 'boolean') return false
  return given['format'] === 'date-time' ? '2026-01-01T00:00:00Z' : 'A text of the attacker'
}

/** Puts the foreign id into the first field of this name, however deep. */
function withForeign(value: unknown, name: string, foreign: Ids): unknown {
  if (Array.isArray(value)) return value.map((one) => withForeign(one, name, foreign))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([member, inner]) => {
      if (member !== name) return [member, withForeign(inner, name, foreign)]
      const id = idOf(foreign, name)
      return [member, Array.isArray(inner) ? [id, ...inner.slice(1)] : id]
    }),
  )
}

function requestOf({ method, path, body }: Operation, place: Place, foreign: Ids) {
  const idAt = (name: string, where: Place['in']) =>
    idOf(place.in === where && place.name === name ? foreign : own, name) ?? 'does-not-exist'
  const url = path.replace(/\{([^}]+)\}/g, (_, name: string) => idAt(name, 'path'))
  const query = place.in === 'query' ? `?${place.name}=${idAt(place.name, 'query')}` : ''
  const plain = body === undefined || method === 'GET' ? undefined : exampleOf(body, '', own)
  const sent = place.in === 'body' ? withForeign(plain, place.name, foreign) : plain
  return { method, url: url + query, body: sent }
}

/**
 * Ids that callers choose. Those of sessions and calls are found by them afterwards; those of
 * checkpoints are unique in the whole service, because certificates are public under them.
 */
function isChosen(path: string, name: string): boolean {
  if (name === 'session_id' || name === 'call_id') return true
  return name === 'checkpoint_id' && /checkpoints(\/batch)?$/.test(path)
}

/** All ids that a request can name. */
function placesIn({ path, queries, body }: Operation): Place[] {
  const inPath = [...path.matchAll(/\{([^}]+)\}/g)].map((found) => found[1] ?? '')
  const text = body === undefined ? '' : JSON.stringify(exampleOf(body, '', own))
  const inBody = [...text.matchAll(/"(\w+)":/g)].map((found) => found[1] ?? '')
  const known = (name: string) => idOf(victim, name) !== undefined
  const isGiven = (name: string) => known(name) && !isChosen(path, name)
  return [
    ...inPath.filter(known).map((name) => ({ in: 'path' as const, name })),
    ...queries.filter(known).map((name) => ({ in: 'query' as const, name })),
    ...[...new Set(inBody)].filter(isGiven).map((name) => ({ in: 'body' as const, name })),
  ]
}

/** Not streams, what is the caller's own, and spans, which name agents in attributes. */
const LEFT_OUT = /^\/v1\/(auth|otlp)|\/stream$|^\/dev/

function operationsOf(): Operation[] {
  const { paths } = document as { paths: Record<string, Record<string, Schema>> }
  return Object.entries(paths).flatMap(([path, methods]) => {
    // Ids of agents are unique in the whole service, so registering one tells (agent-names.test.ts).
    const taken = Object.entries(methods).filter(
      ([method]) => !LEFT_OUT.test(path) && !(path === '/v1/agents' && method === 'post'),
    )
    return taken.map(([method, operation]) => ({
      path,
      method: method.toUpperCase(),
      queries: ((operation['parameters'] ?? []) as { in: string; name: string }[])
        .filter((parameter) => parameter.in === 'query')
        .map(({ name }) => name),
      body: (
        operation['requestBody'] as { content: Record<string, { schema: Schema }> } | undefined
      )?.content['application/json']?.schema,
    }))
  })
}

/** The same id with other letters, which nothing has. */
function unlike(id: string): string {
  const exchanged = [...id.slice(-6)].map((char) => {
    if (/\d/.test(char)) return 9 - Number(char)
    return char === 'a' ? 'b' : char.replace(/[b-f]/, 'a')
  })
  return /-(agent|second|session|call)$/.test(id)
    ? `x${id.slice(1)}`
    : id.slice(0, -6) + exchanged.join('')
}

/** The answer without the ids that were asked for, and without what differs each time. */
function shapeOf({ status, text }: Answer, foreign: Ids): string {
  let plain = text
  for (const [name, id] of Object.entries(foreign)) plain = plain.replaceAll(id, `<${name}>`)
  plain = plain.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
  plain = plain.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '<uuid>')
  plain = plain.replace(/"duration_ms":[\d.]+|[\w+/=-]{40,}|(Name |slug-|person-|Case )\d+/g, '<x>')
  return `${status} ${plain}`
}

/** All rows of the database that name the victim and not the attacker. */
async function recordsOfVictim(): Promise<string[]> {
  const { db } = t.app.kernel
  const tables = await sql<{
    name: string
  }>`select table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE'`.execute(db)
  const found: string[] = []
  for (const { name } of tables.rows) {
    const { rows } = await sql<{ row: string }>`select one::text as row from ${sql.table(name)} one
      where one::text like ${`%${victim['org_id']}%`} or one::text like '%victim-%'`.execute(db)
    found.push(...rows.map(({ row }) => `${name} ${row}`))
  }
  return found.filter((row) => !row.includes(String(own['org_id']))).sort()
}

beforeAll(async () => {
  t = await testApp()
  owner = await t.ownerToken()
  victim = await furnish(t, owner, t.first.org_id, 'victim')
  const stranger = await t.newUser('stranger@example.com')
  const made = await t.call('POST', '/v1/orgs', {
    token: stranger.token,
    body: { name: 'Other', slug: 'other' },
  })
  own = await furnish(t, stranger.token, made.body.org_id, 'own')
  attacker = stranger.token
  document = t.app.openapi()
  operations = operationsOf()
})

describe('a request that is valid but for one id of another organisation', () => {
  it('is answered as if nothing had it', async () => {
    const none = Object.fromEntries(Object.entries(victim).map(([name, id]) => [name, unlike(id)]))
    const before = await recordsOfVictim()
    const differing: string[] = []
    let tried = 0
    for (const operation of operations) {
      for (const place of placesIn(operation)) {
        const [expected, got] = [
          await ask(operation, place, none),
          await ask(operation, place, victim),
        ]
        if (got !== expected) differing.push(`${operation.path} ${place.name}\n${got}\n${expected}`)
        tried += 1
      }
    }
    expect(differing).toEqual([])
    expect(await recordsOfVictim()).toEqual(before)
    expect(tried).toBeGreaterThan(200)

    async function ask(operation: Operation, place: Place, foreign: Ids): Promise<string> {
      const { method, url, body } = requestOf(operation, place, foreign)
      const call = { token: attacker, ...(body !== undefined && { body }) }
      return shapeOf(await t.call(method, url, call), foreign)
    }
  })
})
