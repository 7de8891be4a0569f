import { defaultCard } from '@touchstone/protocol/cards'
import type { PolicyDocument } from '@touchstone/protocol/policy'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { testClock } from '#harness/clock.ts'
import { testDatabase, testNotices } from '#harness/database.ts'
import { testLogQueue } from '#harness/log-queue.ts'
import { type AuditEntry, SYSTEM_ACTOR } from '../../../audit.ts'
import type { Database } from '../../../database/database.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import { toAgentId, toOrgId } from '../../../kernel/ids.ts'
import { documentOf, ENFORCING } from './policy.fixture.ts'
import type { Owner } from './policy-version.ts'
import type { CardInForce } from './ports.ts'
import { createPolicyService, type PolicyService } from './service.ts'

const clock = testClock()
const ORG: Owner = { kind: 'org', id: 'org-1' }
const START = new Date('2026-03-01T12:00:00.000Z')

let database: Database
let db: Db
let here: PolicyService
let there: PolicyService
const entries: AuditEntry[] = []
const cards = new Map<string, Pick<CardInForce, 'cardId' | 'card'> & Partial<CardInForce>>()
let reads = 0

beforeAll(async () => {
  database = await testDatabase()
  db = database.db
  here = await node()
  there = await node()
})

async function node(): Promise<PolicyService> {
  return createPolicyService({
    db,
    clock,
    log: testLogQueue(),
    notices: await testNotices(database),
    audit: { record: async (_tx, entry) => void entries.push(entry) },
    agents: { assertOpen: async () => undefined },
    teams: { assertActive: async () => undefined },
    cards: {
      async find(agentId) {
        reads += 1
        const cardInForce = cards.get(agentId)
        return (
          cardInForce && {
            declared: cardInForce.card,
            templateVersion: 0,
            templateStamp: '-',
            ...cardInForce,
          }
        )
      },
    },
  })
}

let count = 0
function newAgent(): Owner {
  count += 1
  return { kind: 'agent', id: `agent-${count}` }
}

const by = (owner: Owner, ifMatch?: string) => ({
  owner,
  orgId: ORG.id,
  actor: SYSTEM_ACTOR,
  precondition: { ifMatch },
})
const save = (owner: Owner, sparse: Partial<PolicyDocument> = {}, ifMatch?: string) =>
  here.replace(documentOf(sparse, owner.kind), by(owner, ifMatch))
const modeOf = async (service: PolicyService, agent: Owner) =>
  (await service.compiled(ORG.id, agent.id))?.compiled.defaults.enforcement_mode

describe('a policy', () => {
  it('numbers concurrent writes consecutively', async () => {
    const agent = newAgent()
    const saved = await Promise.all(Array.from({ length: 8 }, () => save(agent)))
    const versions = saved.map(({ stored }) => stored.version).sort()
    expect(versions).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
    expect(new Set(saved.map(({ stored }) => stored.policyId)).size).toBe(1)
  })

  it('accepts one of two concurrent writes with the same If-Match', async () => {
    const agent = newAgent()
    await save(agent)
    const outcomes = await Promise.allSettled([save(agent, {}, '"v1"'), save(agent, {}, '"v1"')])
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(outcomes.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { code: 'precondition_failed' },
    })
    expect((await here.get(agent)).version).toBe(2)
  })

  it('that was refused leaves no rows', async () => {
    const agent = newAgent()
    await expect(save(agent, {}, '"v1"')).rejects.toMatchObject({ code: 'precondition_failed' })
    await expect(here.remove(by(agent))).rejects.toMatchObject({ code: 'not_found' })
    const rows = await sql`select from policy_owner where owner_id = ${agent.id}`.execute(db)
    expect(rows.rows).toEqual([])
  })

  it('keeps the field order of its document', async () => {
    const agent = newAgent()
    const mapping = { tools: ['a'], card_actions: ['read'] }
    await save(agent, { capability_mappings: { zebra: mapping, ant: mapping } })
    const { document } = await here.get(agent)
    expect(Object.keys(document.capability_mappings)).toEqual(['zebra', 'ant'])
    expect(Object.keys(document.meta)).toEqual(['schema_version', 'name', 'scope'])
  })

  it('has immutable versions', async () => {
    await save(newAgent())
    await expect(sql`update policy_version set version = 9`.execute(db)).rejects.toThrow()
    await expect(sql`delete from policy_version`.execute(db)).rejects.toThrow()
    await expect(sql`truncate policy_version cascade`.execute(db)).rejects.toThrow()
  })

  it('is erased with its owner, and only then', async () => {
    const [gone, stays] = [newAgent(), newAgent()]
    await save(gone)
    await save(gone)
    await save(stays)
    await transact(db, (tx) => here.erase(tx, toAgentId(gone.id)))
    await expect(here.history(gone, { page: 1, perPage: 20 })).rejects.toMatchObject({
      code: 'not_found',
    })
    expect((await here.get(stays)).version).toBe(1)
    const org: Owner = { kind: 'org', id: 'org-gone' }
    await save(org)
    await transact(db, (tx) => here.eraseOrg(tx, toOrgId(org.id)))
    await expect(here.get(org)).rejects.toMatchObject({ code: 'not_found' })
  })

  it('is written with an audit entry', async () => {
    const agent = newAgent()
    await save(agent)
    await here.remove(by(agent))
    const own = entries.filter(({ target }) => target.id === agent.id)
    expect(own).toMatchObject([
      { action: 'policy.updated', orgId: ORG.id, changes: { version: { from: null, to: 1 } } },
      { action: 'policy.deleted', changes: { version: { from: 1, to: 2 } } },
    ])
  })
})

describe('the resolved policy', () => {
  it('is read in the given transaction', async () => {
    const agent = newAgent()
    await save(agent, ENFORCING)
    const found = await transact(db, (tx) =>
      here.resolve(tx, { orgId: 'org-none', agentId: agent.id }),
    )
    expect(found).toMatchObject({ version: 1, mergeStrategy: 'agent_only' })
    expect(found?.enforcedSince).toEqual(clock.now())
    expect(await here.resolve(db, { orgId: 'org-none', agentId: 'nobody' })).toBeUndefined()
  })
})

describe('the compiled policy of an agent', () => {
  /** Polled, because notifications of earlier writes may still arrive and cause another read. */
  const readsFor = async (orgId: string, agentId: string) => {
    const readsBefore = reads
    await here.compiled(orgId, agentId)
    return reads - readsBefore
  }

  it('is cached until something changes', async () => {
    const agent = newAgent()
    await save(agent)
    const first = await here.compiled(ORG.id, agent.id)
    await expect.poll(() => readsFor(ORG.id, agent.id)).toBe(0)
    expect(await here.compiled(ORG.id, agent.id)).toBe(first)
  })

  it('is undefined without a policy, which is cached as well', async () => {
    await expect.poll(() => readsFor('org-none', 'nobody')).toBe(0)
    expect(await here.compiled('org-none', 'nobody')).toBeUndefined()
  })

  it('reflects a write immediately on this node and soon on another', async () => {
    const agent = newAgent()
    await save(agent)
    expect([await modeOf(here, agent), await modeOf(there, agent)]).toEqual(['warn', 'warn'])
    await save(agent, ENFORCING)
    expect(await modeOf(here, agent)).toBe('enforce')
    await expect.poll(() => modeOf(there, agent)).toBe('enforce')
    await here.remove(by(agent))
    expect(await modeOf(here, agent)).not.toBe('enforce')
    await expect.poll(() => modeOf(there, agent)).not.toBe('enforce')
  })

  it('reflects a write to the policy of the organisation for all its agents', async () => {
    const agents = [newAgent(), newAgent()]
    for (const agent of agents) await modeOf(there, agent)
    await save(ORG, ENFORCING)
    for (const agent of agents) {
      expect(await modeOf(here, agent)).toBe('enforce')
      await expect.poll(() => modeOf(there, agent)).toBe('enforce')
    }
    await here.remove(by(ORG))
    for (const agent of agents) await expect.poll(() => modeOf(there, agent)).toBeUndefined()
  })

  it('reflects a new card and ignores a generated one', async () => {
    const agent = newAgent()
    const card = defaultCard(agent.id, START)
    const mapping = { tools: ['a'], card_actions: ['read'] }
    cards.set(agent.id, { cardId: 'ac-1', card })
    await save(agent, { capability_mappings: { files: mapping } })
    const missing = async () =>
      (await here.compiled(ORG.id, agent.id))?.compiled.capabilities[0]?.missing
    expect(await missing()).toEqual([])
    const autonomy_envelope = { bounded_actions: ['search'] }
    cards.set(agent.id, { cardId: 'ac-2', card: { ...card, autonomy_envelope } })
    await transact(db, (tx) => here.cardChanged(tx, agent.id))
    await expect.poll(missing).toEqual(['read'])
  })

  it('reflects the card template of the organisation for all its agents', async () => {
    const [exempt, other] = [newAgent(), newAgent()]
    const agents = [exempt, other]
    const mapping = { tools: ['a'], card_actions: ['read'] }
    const applyTemplate = (
      id: string,
      templateVersion: number,
      forbidden: string[],
      stamp?: string,
    ) => {
      const declared = defaultCard(id, START)
      const autonomy_envelope = { bounded_actions: ['read'], forbidden_actions: forbidden }
      const card = { ...declared, autonomy_envelope }
      const templateStamp = stamp ?? String(templateVersion)
      const own = { ...declared, autonomy_envelope: { bounded_actions: ['read'] } }
      cards.set(id, { cardId: `ac-${id}`, declared: own, card, templateVersion, templateStamp })
    }
    const missing = async (service: PolicyService, id: string) =>
      (await service.compiled(ORG.id, id))?.compiled.capabilities[0]?.missing
    for (const { id } of agents) applyTemplate(id, 1, [])
    for (const agent of agents) await save(agent, { capability_mappings: { files: mapping } })
    for (const { id } of agents) {
      expect([await missing(here, id), await missing(there, id)]).toEqual([[], []])
    }
    for (const { id } of agents) applyTemplate(id, 2, ['read'])
    const template = { kind: 'template', id: ORG.id } as const
    await transact(db, (tx) => here.invalidateLayer(tx, template))
    here.evictLayer(template)
    for (const { id } of agents) {
      expect(await missing(here, id)).toEqual(['read'])
      await expect.poll(() => missing(there, id)).toEqual(['read'])
    }
    applyTemplate(exempt.id, 2, [], '-')
    const card = { kind: 'card', id: exempt.id } as const
    await transact(db, (tx) => here.invalidateLayer(tx, card))
    here.evictLayer(card)
    expect([await missing(here, exempt.id), await missing(here, other.id)]).toEqual([[], ['read']])
    await expect.poll(() => missing(there, exempt.id)).toEqual([])
  })

  it('ignores a generated card even with a template applied', async () => {
    const agent = newAgent()
    const declared = defaultCard(agent.id, START)
    const autonomy_envelope = { bounded_actions: ['inference'], forbidden_actions: ['read'] }
    cards.set(agent.id, { cardId: 'ac-1', declared, card: { ...declared, autonomy_envelope } })
    await save(agent)
    expect((await here.effectiveRules(ORG.id, agent.id)).card).toBeUndefined()
  })
})
