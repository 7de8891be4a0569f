import type { CardTemplate } from '@touchstone/protocol/cards'
import { type KyselyPlugin, sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { testClock } from '#harness/clock.ts'
import { testDatabase, testNotices } from '#harness/database.ts'
import { eventually } from '#harness/eventually.ts'
import { type AuditEntry, SYSTEM_ACTOR } from '../../../audit.ts'
import type { Database } from '../../../database/database.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import { toAgentId, toOrgId } from '../../../kernel/ids.ts'
import { Problem } from '../../../kernel/problem.ts'
import { createTemplateService, type TemplateService } from './service.ts'

const clock = testClock()
const ARCHIVED = 'agent-archived'

let database: Database
let db: Db
let here: TemplateService
let there: TemplateService
const entries: AuditEntry[] = []
const calls: string[] = []
let orgId = ''
let agentId = ''
let count = 0

beforeAll(async () => {
  database = await testDatabase()
  db = database.db
  here = await node()
  there = await node()
})

async function node(): Promise<TemplateService> {
  return createTemplateService({
    db,
    clock,
    notices: await testNotices(database),
    audit: { record: async (_tx, entry) => void entries.push(entry) },
    agents: {
      async assertOpen(_tx, agent) {
        if (agent === ARCHIVED) throw new Problem('conflict', 'The agent is archived.')
      },
    },
    policies: {
      invalidateLayer: async (_tx, { kind, id }) => void calls.push(`invalidate ${kind} ${id}`),
      evictLayer: ({ kind, id }) => void calls.push(`evict ${kind} ${id}`),
    },
  })
}

function newOrg(): void {
  count += 1
  orgId = `org-${count}`
  agentId = `agent-${count}`
}
const by = (ifMatch?: string, ifNoneMatch?: string) => ({
  orgId,
  actor: SYSTEM_ACTOR,
  precondition: { ifMatch, ifNoneMatch },
})
const FORBIDDING: CardTemplate = { autonomy_envelope: { forbidden_actions: ['wire_money'] } }
const submission = (enabled: boolean, card: unknown = FORBIDDING) => ({
  enabled,
  card,
  conscienceValues: undefined,
  cardId: undefined,
  agentId: undefined,
  issuedAt: undefined,
})
const save = (enabled = true, precondition = by()) =>
  here.replace(submission(enabled), precondition)
const exempt = (isExempt: boolean, agent = agentId) =>
  here.setExempt(
    { orgId, agentId: agent },
    { exempt: isExempt, reason: isExempt ? 'a test bench' : null },
    SYSTEM_ACTOR,
  )
const templateOf = async (service: TemplateService, agent = agentId) =>
  (await service.inForce(db, { orgId, agentId: agent })).template?.card

describe('a card template', () => {
  it('gives each of many concurrent writers a distinct version', async () => {
    newOrg()
    const saved = await Promise.all(Array.from({ length: 8 }, () => save()))
    expect(saved.map(({ stored }) => stored.version).sort()).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
  })

  it('accepts one of two writers that saw the same version', async () => {
    newOrg()
    await save(true, by(undefined, '*'))
    await expect(save(true, by(undefined, '*'))).rejects.toMatchObject({
      code: 'precondition_failed',
    })
    const outcomes = await Promise.allSettled([save(true, by('"v1"')), save(true, by('"v1"'))])
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  })

  it('never reuses a version, so nothing derived from an old one can return', async () => {
    newOrg()
    await save()
    await here.remove(by('"v1"'))
    await expect(here.get(orgId)).rejects.toMatchObject({ code: 'not_found' })
    await expect(here.remove(by())).rejects.toMatchObject({ code: 'not_found' })
    await expect(save(true, by('"v2"'))).rejects.toMatchObject({ code: 'precondition_failed' })
    expect((await save()).stored.version).toBe(3)
  })

  it('is stored as submitted, with defaults filled in', async () => {
    newOrg()
    const card = { principal: 'ignored', ...FORBIDDING, extensions: { org: { a: 1 } } }
    await here.replace(submission(true, card), by())
    expect((await here.get(orgId)).template).toEqual({
      cardId: `tmpl-${orgId}`,
      agentId: null,
      card,
      conscienceValues: [],
      issuedAt: clock.now(),
    })
  })

  it('is audited with its version and whether it is enabled', async () => {
    newOrg()
    await save()
    await save(false)
    await here.remove(by())
    const own = entries.filter((entry) => entry.orgId === orgId)
    expect(own.map(({ action, changes }) => [action, changes])).toEqual([
      [
        'card_template.updated',
        { version: { from: null, to: 1 }, enabled: { from: null, to: true } },
      ],
      [
        'card_template.updated',
        { version: { from: 1, to: 2 }, enabled: { from: true, to: false } },
      ],
      ['card_template.deleted', { version: { from: 2, to: 3 } }],
    ])
  })

  it('is erased with its organisation, and an exemption with its agent', async () => {
    newOrg()
    await save()
    await exempt(true)
    await transact(db, (tx) => here.erase(tx, toAgentId(agentId)))
    await transact(db, (tx) => here.eraseOrg(tx, toOrgId(orgId)))
    await expect(here.get(orgId)).rejects.toMatchObject({ code: 'not_found' })
    const left = await sql`
      select from card_exemption where agent_id = ${agentId}`.execute(db)
    expect(left.rows).toEqual([])
    await eventually(async () => expect(await templateOf(there)).toBeUndefined())
  })
})

describe('the template in force for an agent', () => {
  it('is the enabled template, immediately on this node and soon on others', async () => {
    newOrg()
    expect([await templateOf(here), await templateOf(there)]).toEqual([undefined, undefined])
    await save()
    expect(await templateOf(here)).toEqual(FORBIDDING)
    await eventually(async () => expect(await templateOf(there)).toEqual(FORBIDDING))
    await save(false)
    expect(await templateOf(here)).toBeUndefined()
    await eventually(async () => expect(await templateOf(there)).toBeUndefined())
    expect((await here.inForce(db, { orgId, agentId })).version).toBe(2)
  })

  it('is absent for an exempt agent only', async () => {
    newOrg()
    await save()
    for (const service of [here, there]) expect(await templateOf(service)).toEqual(FORBIDDING)
    await exempt(true)
    expect(await templateOf(here)).toBeUndefined()
    expect(await templateOf(here, 'agent-other')).toEqual(FORBIDDING)
    await eventually(async () => expect(await templateOf(there)).toBeUndefined())
    await exempt(false)
    expect(await templateOf(here)).toEqual(FORBIDDING)
    await eventually(async () => expect(await templateOf(there)).toEqual(FORBIDDING))
  })

  it('needs no query when cached, with or without a template', async () => {
    let reads = 0
    const counting: KyselyPlugin = {
      transformQuery({ node: query }) {
        reads += 1
        return query
      },
      transformResult: async ({ result }) => result,
    }
    const counted = db.withPlugin(counting)
    const readsOf = async () => {
      const readsBefore = reads
      await here.inForce(counted, { orgId, agentId })
      return reads - readsBefore
    }
    newOrg()
    // A late invalidation from an earlier change can cause one more read.
    await eventually(async () => expect(await readsOf()).toBe(0))
    await save()
    await eventually(async () => expect(await readsOf()).toBe(0))
  })

  it('invalidates policies compiled with composed cards, in the transaction and after commit', async () => {
    newOrg()
    calls.length = 0
    await save()
    await exempt(true)
    expect(calls).toEqual([
      `invalidate template ${orgId}`,
      `evict template ${orgId}`,
      `invalidate card ${agentId}`,
      `evict card ${agentId}`,
    ])
  })
})

describe('an exemption', () => {
  it('is audited with its reason, unless nothing changes', async () => {
    newOrg()
    const first = await exempt(true)
    clock.advance(1000)
    expect(await exempt(true)).toEqual(first)
    const own = entries.filter(({ target }) => target.id === agentId)
    expect(own).toMatchObject([
      {
        action: 'card_template.exemption_changed',
        orgId,
        changes: { exempt: { from: false, to: true }, reason: { from: null, to: 'a test bench' } },
      },
    ])
  })

  it('is refused for archived agents', async () => {
    newOrg()
    await expect(exempt(true, ARCHIVED)).rejects.toMatchObject({ code: 'conflict' })
  })
})
