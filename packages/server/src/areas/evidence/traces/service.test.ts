import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { testClock } from '#harness/clock.ts'
import { testDatabase } from '#harness/database.ts'
import type { Db } from '../../../kernel/db.ts'
import { createEvents } from '../../../kernel/events.ts'
import { createTraceService, type TraceDeps } from './service.ts'
import type { TraceInput } from './trace-input.ts'

const ORG = { orgId: 'org-1', accountId: 'ba-1' }

const CARD = {
  values: { declared: ['honesty'] },
  autonomy_envelope: { bounded_actions: ['search'] },
  audit_commitment: { retention_days: 30 },
}

const INPUT: TraceInput = {
  agent_id: 'agent-demo',
  trace_id: 'tr-1',
  action: { type: 'execute', name: 'search', category: 'bounded' },
  decision: { selected: 'a', selection_reasoning: 'It fits.', values_applied: ['honesty'] },
  context: { metadata: { integrity_checkpoint_id: 'ic-1' } },
}

let db: Db
let linked: object[]

beforeEach(async () => {
  db = (await testDatabase()).db
  linked = []
})

const linkTrace = async (_tx: Db, link: object) => void linked.push(link)

function service(changes: Partial<TraceDeps> = {}) {
  const clock = testClock()
  return createTraceService({
    db,
    clock,
    events: createEvents({ db, clock, onEmit: () => undefined }),
    agents: { orgOf: async () => ORG.orgId, hear: async () => undefined },
    cards: {
      findForTrace: async () => ({ cardId: 'ac-1', card: CARD, named: true }),
      accept: () => CARD,
    },
    checkpoints: { findVerdict: async () => 'boundary_violation', linkTrace },
    drift: { followTrace: async () => undefined },
    meters: { record: async () => undefined },
    plans: { traceRetentionDays: async () => null },
    ...changes,
  })
}

describe('a trace of a decision that has a checkpoint', () => {
  it('is linked to it, and asks for an escalation when a boundary was crossed', async () => {
    const { stored } = await service().ingest(ORG, INPUT)
    expect(linked).toEqual([{ agentId: 'agent-demo', checkpointId: 'ic-1', traceId: 'tr-1' }])
    expect(stored.trace.escalation).toMatchObject({ required: true, escalation_status: 'pending' })
    const again = await service().ingest(ORG, INPUT)
    expect(again).toMatchObject({ created: false, stored })
    expect(linked).toHaveLength(1)
  })

  it('is not linked to a checkpoint of another agent, nor by a mere verification', async () => {
    await service().verify(ORG.orgId, INPUT, undefined)
    const checkpoints = { findVerdict: async () => undefined, linkTrace }
    const { stored } = await service({ checkpoints }).ingest(ORG, INPUT)
    expect(stored.trace).not.toHaveProperty('escalation')
    expect(linked).toEqual([])
  })
})

describe('storing a trace', () => {
  it('has drift looked for by the card it names, once', async () => {
    const followed: object[] = []
    const drift = {
      followTrace: async (_tx: Db, org: object, trace: object) =>
        void followed.push({ ...org, ...trace }),
    }
    await service({ drift }).ingest(ORG, { ...INPUT, card_id: 'ac-named' })
    await service({ drift }).ingest(ORG, { ...INPUT, card_id: 'ac-named' })
    expect(followed).toEqual([
      { ...ORG, agentId: 'agent-demo', cardId: 'ac-named', declaredValues: ['honesty'] },
    ])
  })

  it('leaves nothing behind when any part of it fails', async () => {
    const meters = { record: () => Promise.reject(new Error('no meter')) }
    await expect(service({ meters }).ingest(ORG, INPUT)).rejects.toThrow('no meter')
    const left = await sql<{ count: number }>`select (select count(*) from trace)
      + (select count(*) from trace_owner) + (select count(*) from event) as count`.execute(db)
    expect(left.rows).toEqual([{ count: 0 }])
    expect((await service().ingest(ORG, INPUT)).created).toBe(true)
  })
})
