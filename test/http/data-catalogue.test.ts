import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { type TestApp, testApp } from '#harness/app.ts'
import { CARD, textOf, VIOLATION } from '#harness/checkpoints.ts'

const DAY_MS = 24 * 60 * 60 * 1000

/** Columns that name an agent or an organisation. */
const OWNER = /(^|_)(agent|org)_ids?$/

type Column = {
  table: string
  name: string
  type: string
  needed: boolean
  /** The first label of an enum type. */
  label: string | null
}

let t: TestApp
let columns: Column[]
const declared = new Map<string, { feature: string; erased: unknown; phases: string[] }>()

beforeAll(async () => {
  t = await testApp()
  columns = await readColumns()
  for (const { name, tables = {}, hooks = {} } of t.app.kernel.lifecycle.parts()) {
    for (const [table, { erased }] of Object.entries(tables)) {
      expect(declared.has(table), `${table} is declared by two features`).toBe(false)
      declared.set(table, { feature: name, erased, phases: Object.keys(hooks) })
    }
  }
})

/** Reads the columns of every table; partitions count as their parent table. */
async function readColumns(): Promise<Column[]> {
  const found = await sql<Column>`
    select c.relname as table, a.attname as name, format_type(a.atttypid, null) as type,
      a.attnotnull and not a.atthasdef and a.attidentity = '' as needed,
      (select min(enumlabel) from pg_enum where enumtypid = a.atttypid) as label
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')
      and not c.relispartition and a.attnum > 0 and not a.attisdropped
      and a.attgenerated = ''
    order by c.relname, a.attnum`.execute(t.app.kernel.db)
  return found.rows
}

const allTables = () => [...new Set(columns.map(({ table }) => table))]

describe('the catalogue of tables', () => {
  it('contains every table with a column that names an agent or an organisation', () => {
    const owned = columns.filter(({ name }) => OWNER.test(name)).map(({ table }) => table)
    expect([...new Set(owned)].filter((table) => !declared.has(table))).toEqual([])
  })

  it('contains only tables that exist', () => {
    const there = allTables()
    expect([...declared.keys()].filter((table) => !there.includes(table))).toEqual([])
  })

  it('names phases that the feature owning the table handles', () => {
    for (const [table, { feature, erased, phases }] of declared) {
      if (!Array.isArray(erased)) continue
      for (const phase of erased) {
        expect(phases, `${feature} erases ${table} at ${phase}`).toContain(phase)
      }
    }
  })
})

const GONE = 'agent-that-is-erased'
const LEFT = 'agent-that-stays'

/** The audit log keeps the id of an erased agent for 400 days, but not its name. */
const KEEPS_AGENT_IDS = ['audit_entry']

const call = async (method: string, url: string, body?: unknown, token = t.first.api_key) => {
  const answer = await t.call(method, url, { token, ...(body === undefined ? {} : { body }) })
  expect(answer.status, `${method} ${url}: ${answer.text}`).toBeLessThan(300)
  return answer.body
}

const asOwner = async (method: string, url: string, body?: unknown) =>
  call(method, url, body, await t.ownerToken())

const POLICY = {
  meta: { schema_version: '1.0', name: 'Rules', scope: 'agent' },
  capability_mappings: { desk: { tools: ['search', 'refund'], card_actions: ['search'] } },
  forbidden: [{ pattern: 'drop_*', reason: 'No tables are dropped', severity: 'critical' }],
  escalation_triggers: [
    { condition: "tool == 'refund'", action: 'escalate', reason: 'People refund' },
  ],
  defaults: { enforcement_mode: 'enforce', unmapped_tool_action: 'allow' },
}

const traceOf = (agent_id: string) => ({
  agent_id,
  action: { type: 'execute', name: 'search', category: 'bounded' },
  decision: {
    selected: 'a',
    selection_reasoning: 'It fits best.',
    values_applied: ['transparency'],
    confidence: 0.9,
    alternatives_considered: [{ option_id: 'a', description: 'The only one' }],
  },
})

/** Creates rows for two agents through every API feature that needs little set-up. */
async function fill(): Promise<void> {
  const org = `/v1/orgs/${t.first.org_id}`
  await asOwner('PUT', `/v1/admin${org.slice(3)}/plan`, { plan_id: 'plan-enterprise' })
  await asOwner('POST', `${org}/invitations`, { email: 'guest@example.com', role: 'member' })
  await asOwner('POST', `${org}/webhooks`, { url: 'https://hooks.example/in', event_types: ['*'] })
  await call('POST', `${org}/conscience-values`, {
    name: 'No surprises about money',
    description: 'Never promise prices that nobody approved.',
    type: 'BOUNDARY',
    severity: 'advisory',
  })
  await call('PUT', `${org}/card-template`, {
    enabled: true,
    template: { card_json: { autonomy_envelope: { forbidden_actions: ['wipe'] } } },
  })
  for (const agent_id of [GONE, LEFT]) await fillAgent(agent_id, org)
  await call('POST', `/v1/agents/${LEFT}/trust-edges`, {
    target_agent_id: GONE,
    trust_level: 'high',
    reason: 'They hand work to each other.',
  })
  await call('POST', '/v1/coherence/check', { agent_a: GONE, agent_b: LEFT })
  const { team } = await call('POST', '/v1/teams', {
    org_id: t.first.org_id,
    name: 'Both',
    agent_ids: [GONE, LEFT],
  })
  await call('POST', `/v1/teams/${team.id}/card/derive`)
  await call('POST', '/v1/risk/assess/team', {
    team_id: team.id,
    context: { action_type: 'task_delegation' },
    prove: false,
  })
  await call('POST', `/v1/teams/${team.id}/reputation/recompute`)
  await call('POST', '/v1/teams/fault-lines', { team_id: team.id })
  await t.settle()
}

async function fillAgent(agent_id: string, org: string): Promise<void> {
  const path = `/v1/agents/${agent_id}`
  await call('POST', '/v1/agents', { agent_id, card: CARD })
  await call('PUT', `${path}/enforcement`, { mode: 'nudge', nudge_strategy: 'always' })
  const checkpoints = Array.from({ length: 12 }, (_, n) => ({
    agent_id,
    session_id: `s${n % 2}`,
    thinking: textOf(n, n === 5 ? VIOLATION : ''),
  }))
  await call('POST', '/v1/checkpoints/batch', { checkpoints })
  await call('PUT', `${path}/policy`, POLICY)
  await call('POST', `${path}/tool-pins`, {
    server: 'shop',
    tools: [{ name: 'refund', input_schema: {} }],
  })
  await call('POST', '/v1/traces', traceOf(agent_id))
  for (const tool of ['search', 'refund', 'drop_tables']) {
    await call('POST', '/v1/gateway/decide', { agent_id, tool, arguments: {} })
  }
  await call('POST', '/v1/transactions', {
    agent_id,
    description: 'Refund 1182',
    action_type: 'financial_operation',
    tools: ['refund'],
  })
  await call('PUT', `${path}/org-card-exempt`, { exempt: true, reason: 'It has its own.' })
  const { violations } = await call('GET', `${path}/violations?per_page=5`)
  const [{ checkpoint_id }] = violations
  await call('POST', `${path}/violations/${checkpoint_id}/comments`, { text: 'Seen.' })
  await call('POST', `${path}/reclassify`, { checkpoint_id, reason: 'The card lacked it.' })
  await call('POST', `/v1/reputation/${agent_id}/recompute`)
  await call('POST', '/v1/risk/assess', {
    agent_id,
    context: { action_type: 'data_access', use_case: 'A test' },
    prove: true,
  })
  await call('POST', `${org}/agents/${agent_id}/pause`, { reason: 'A look at it.' })
}

/** Inserts a row into every declared table that has none for the agent or the organisation. */
async function insertMissingRows(agentId: string): Promise<void> {
  for (const table of declared.keys()) {
    const named = columns.filter((column) => column.table === table)
    if ((await countOf(table, agentId)) > 0 || table === 'agent') continue
    const isOfAgent = named.some(({ name }) => OWNER.test(name) && name.includes('agent'))
    if (!isOfAgent && (await countOf(table, t.first.org_id)) > 0) continue
    await insertFiller(table, named, agentId)
  }
}

async function insertFiller(table: string, named: readonly Column[], agentId: string) {
  const { db } = t.app.kernel
  const wanted = named.filter(({ name, needed }) => needed || OWNER.test(name))
  const values = wanted.map((column) => sql`${fillerOf(column, agentId)}`)
  await db.transaction().execute(async (tx) => {
    // Skips triggers and foreign keys, since only the presence of a row matters here.
    await sql`set local session_replication_role = replica`.execute(tx)
    const checks = await sql<{ conname: string }>`select conname from pg_constraint
      where contype = 'c' and conrelid = ${table}::regclass`.execute(tx)
    for (const { conname } of checks.rows) {
      await sql`alter table ${sql.table(table)} drop constraint ${sql.ref(conname)}`.execute(tx)
    }
    await sql`insert into ${sql.table(table)}
      (${sql.join(wanted.map(({ name }) => sql.ref(name)))})
      values (${sql.join(values)})`.execute(tx)
  })
}

let number = 1_000_000

function fillerOf({ name, type, label }: Column, agentId: string): unknown {
  if (OWNER.test(name)) {
    const id = name.includes('agent') ? agentId : t.first.org_id
    return type.endsWith('[]') ? [id] : id
  }
  number += 1
  if (/^(bigint|integer|smallint|numeric|double precision)$/.test(type)) return number % 30_000
  if (/^timestamp/.test(type) || type === 'date') return t.clock.now()
  if (type.endsWith('[]')) return []
  if (type === 'boolean') return false
  if (type === 'bytea') return Buffer.from(String(number))
  if (type.startsWith('json')) return '{}'
  if (type === 'uuid') return randomUUID()
  return label ?? `filler-${number}`
}

async function countOf(table: string, id: string): Promise<number> {
  const found = await sql<{ rows: number }>`select count(*) as rows from ${sql.table(table)} as row
    where row::text like ${`%${id}%`}`.execute(t.app.kernel.db)
  return Number(found.rows[0]?.rows ?? 0)
}

async function tablesNaming(id: string): Promise<string[]> {
  const naming: string[] = []
  for (const table of allTables()) if ((await countOf(table, id)) > 0) naming.push(table)
  return naming
}

async function advanceDays(days: number): Promise<void> {
  t.clock.advance(days * DAY_MS)
  await t.settle()
}

/**
 * Purges, then repeats hourly runs: the directory keeps its list of removed entries for other nodes
 * until the run after the next, and an open transaction of another test may delay that.
 */
async function purge(id: string): Promise<string[]> {
  await t.app.kernel.lifecycle.purge(t.clock.now(), () => undefined)
  for (let run = 0; run < 20 && (await countOf('directory_change', id)) > 0; run += 1) {
    await t.app.rateAll()
    await t.settle()
  }
  return tablesNaming(id)
}

describe('erasure', () => {
  beforeAll(fill)

  it('leaves no row that names an erased agent', async () => {
    expect((await tablesNaming(GONE)).length).toBeGreaterThan(30)
    await asOwner('POST', `/v1/agents/${GONE}/erase`, { confirm: GONE })
    await advanceDays(31)
    await insertMissingRows(GONE)
    const left = await purge(GONE)
    expect(left.filter((table) => !KEEPS_AGENT_IDS.includes(table))).toEqual([])
  })

  it('leaves no row that names an erased organisation or its agents', async () => {
    await asOwner('DELETE', `/v1/orgs/${t.first.org_id}`)
    await advanceDays(31)
    await insertMissingRows(LEFT)
    expect(await purge(LEFT)).toEqual([])
    expect(await tablesNaming(t.first.org_id)).toEqual([])
  })
})
