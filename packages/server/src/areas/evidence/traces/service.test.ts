import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { testClock } from '#harness/clock.ts'
import { testDatabase } from '#harness/database.ts'
import type { Db } from '../../../kernel/db.ts'
import { createEvents } from '../../../kernel/events.ts'
import { Problem } from '../../../kernel/problem.ts'
import type { FinishedSpan } from '../../../telemetry/spans.ts'
import type { TraceDeps } from './ingest-service.ts'
import { createTraceService } from './service.ts'
import type { TracePolicy } from './trace.ts'
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

const LOOK = { tracesAnalyzed: 7, alertsOpened: 1 }

let db: Db
let linked: object[]

beforeEach(async () => {
  db = (await testDatabase()).db
  linked = []
})

const API = { kind: 'api', client: 'api', boundTo: null } as const

const linkTrace = async (_tx: Db, link: object) => void linked.push(link)

function service(changes: Partial<TraceDeps> = {}) {
  const clock = testClock()
  return createTraceService({
    db,
    clock,
    decisions: { findNamed: async () => new Map() },
    events: createEvents({ db, clock, onEmit: () => undefined }),
    agents: { orgOf: async () => ORG.orgId, hear: async () => undefined },
    cards: {
      findForTrace: async () => ({ cardId: 'ac-1', card: CARD, named: true }),
      accept: async () => CARD,
    },
    checkpoints: { findVerdict: async () => 'boundary_violation', linkTrace },
    drift: { followTrace: async () => LOOK },
    meters: { record: async () => undefined },
    plans: { traceRetentionDays: async () => null },
    policies: { prepare: async () => ({ judge: () => undefined }) },
    spans: undefined,
    ...changes,
  })
}

describe('policy of traces', () => {
  const findings: TracePolicy = {
    verdict: 'fail',
    violations: 1,
    warnings: 0,
    tools: ['search'],
    policy_id: 'pol-1',
    policy_version: 1,
  }

  it('is loaded once per batch, for the well-formed traces', async () => {
    const asked: object[] = []
    const recorded: string[] = []
    let settled = 0
    const judgement = {
      findings,
      record: async (_tx: Db, traceId: string) => void recorded.push(traceId),
      settle: () => {
        settled += 1
      },
    }
    const prepare = async (orgId: string, uses: readonly object[]) => {
      asked.push({ orgId, uses })
      return { judge: () => judgement }
    }
    const items = [INPUT, 'broken', { ...INPUT, trace_id: 'tr-2', tools: ['a'] }, INPUT]
    const read = (item: unknown): TraceInput => {
      if (item === 'broken') throw new Problem('invalid_request', 'broken')
      return item as TraceInput
    }
    const outcomes = await service({ policies: { prepare } }).ingestAll(
      ORG,
      { given: items, source: API },
      read,
    )
    expect(outcomes.map(({ status }) => status)).toEqual([
      'created',
      'rejected',
      'created',
      'duplicate',
    ])
    const use = (tools: string[]) => ({ agentId: 'agent-demo', tools })
    expect(asked).toEqual([
      { orgId: 'org-1', uses: [use(['search']), use(['a']), use(['search'])] },
    ])
    expect(recorded).toEqual(['tr-1', 'tr-2'])
    expect(settled).toBe(2)
    expect(await service().findFindings({ agentId: 'agent-demo', traceId: 'tr-1' })).toMatchObject({
      policyFailed: true,
    })
  })

  it('is recorded for the rest if one trace of a batch is rejected while storing', async () => {
    await service().ingest(ORG, INPUT, API)
    let settled = 0
    const judgement = {
      findings,
      record: async () => undefined,
      settle: () => {
        settled += 1
      },
    }
    let looks = 0
    const followTrace = async () => {
      looks += 1
      return { tracesAnalyzed: 0, alertsOpened: 0 }
    }
    const here = service({
      policies: { prepare: async () => ({ judge: () => judgement }) },
      drift: { followTrace },
    })
    const others = ['tr-2', 'tr-3'].map((trace_id) => ({ ...INPUT, trace_id }))
    const taken = { ...INPUT, tools: ['another'] }
    const [second, third] = others
    const outcomes = await here.ingestAll(
      ORG,
      { given: [second, taken, third], source: API },
      (one) => one as TraceInput,
    )
    expect(outcomes.map(({ status }) => status)).toEqual(['created', 'rejected', 'created'])
    expect([settled, looks]).toEqual([2, 2])
    const fresh = ['tr-4', 'tr-5', 'tr-6'].map((trace_id) => ({ ...INPUT, trace_id }))
    await here.ingestAll(ORG, { given: fresh, source: API }, (one) => one)
    expect([settled, looks]).toEqual([5, 3])
    expect(await service().verifiedCounts(db, ['agent-demo'])).toEqual(new Map([['agent-demo', 6]]))
  })

  it('is not settled for a trace that was not stored', async () => {
    const settle = () => {
      throw new Error('too soon')
    }
    const judge = () => ({ findings, record: async () => undefined, settle })
    const followTrace = () => Promise.reject(new Error('no drift'))
    const here = service({ policies: { prepare: async () => ({ judge }) }, drift: { followTrace } })
    await expect(here.ingest(ORG, INPUT, API)).rejects.toThrow('no drift')
  })
})

describe('a trace of a decision that has a checkpoint', () => {
  it('is linked to it, and gets an escalation for a boundary violation', async () => {
    const { stored } = await service().ingest(ORG, INPUT, API)
    expect(linked).toEqual([{ agentId: 'agent-demo', checkpointId: 'ic-1', traceId: 'tr-1' }])
    expect(stored.trace.escalation).toMatchObject({ required: true, escalation_status: 'pending' })
    const again = await service().ingest(ORG, INPUT, API)
    expect(again).toMatchObject({ created: false, stored })
    expect(linked).toHaveLength(1)
  })

  it('missed an escalation that it did not report itself', async () => {
    const limited = { ...CARD.autonomy_envelope, max_autonomous_value: { amount: 100 } }
    const card = { ...CARD, autonomy_envelope: limited }
    const cards = {
      findForTrace: async () => ({ cardId: 'ac-1', card, named: true }),
      accept: async () => card,
    }
    const input = { ...INPUT, action: { ...INPUT.action, parameters: { amount: 101 } } }
    const { stored } = await service({ cards }).ingest(ORG, input, API)
    expect(stored.trace.escalation).toMatchObject({ required: true, escalation_status: 'pending' })
    expect(stored.verification).toMatchObject({
      verified: false,
      violations: ['MISSED_ESCALATION'],
    })
    const emitted = await sql<{ type: string; escalation: object }>`
      select type, data #> '{trace,escalation}' as escalation from event`.execute(db)
    expect(emitted.rows).toMatchObject([
      { type: 'trace.escalation_required', escalation: { required: true, triggered: true } },
    ])
    const { violations } = await service({ cards }).verify(ORG.orgId, input, undefined)
    expect(violations).toEqual(['MISSED_ESCALATION'])
  })

  it('is not linked to another agent’s checkpoint, nor by a verification', async () => {
    await service().verify(ORG.orgId, INPUT, undefined)
    const checkpoints = { findVerdict: async () => undefined, linkTrace }
    const { stored } = await service({ checkpoints }).ingest(ORG, INPUT, API)
    expect(stored.trace).not.toHaveProperty('escalation')
    expect(linked).toEqual([])
  })
})

describe('storing a trace', () => {
  it('checks drift once, for the card it was verified against', async () => {
    const followed: object[] = []
    const drift = {
      async followTrace(_tx: Db, org: object, trace: object) {
        followed.push({ ...org, ...trace })
        return LOOK
      },
    }
    await service({ drift }).ingest(ORG, { ...INPUT, card_id: 'ac-named' }, API)
    await service({ drift }).ingest(ORG, { ...INPUT, card_id: 'ac-named' }, API)
    expect(followed).toEqual([
      { ...ORG, agentId: 'agent-demo', cardId: 'ac-1', declaredValues: ['honesty'] },
    ])
  })

  it('does not lock the agent’s tally while drift is checked', async () => {
    await service().ingest(ORG, INPUT, API)
    const followTrace = async () => {
      await sql`select from trace_tally where agent_id = 'agent-demo' for update nowait`.execute(db)
      return LOOK
    }
    await service({ drift: { followTrace } }).ingest(ORG, { ...INPUT, trace_id: 'tr-2' }, API)
    const counts = await service().verifiedCounts(db, ['agent-demo'])
    expect(counts.get('agent-demo')).toBe(2)
  })

  it('rolls back completely if any part fails', async () => {
    const meters = { record: () => Promise.reject(new Error('no meter')) }
    await expect(service({ meters }).ingest(ORG, INPUT, API)).rejects.toThrow('no meter')
    const left = await sql<{ count: number }>`select (select count(*) from trace)
      + (select count(*) from trace_owner) + (select count(*) from event) as count`.execute(db)
    expect(left.rows).toEqual([{ count: 0 }])
    expect((await service().ingest(ORG, INPUT, API)).created).toBe(true)
  })
})

describe('OpenTelemetry tracing', () => {
  const recording = () => {
    const recorded: FinishedSpan[] = []
    return { recorded, spans: { record: (span: FinishedSpan) => void recorded.push(span) } }
  }

  it('records verification and drift check of a new trace, and nothing for a duplicate', async () => {
    const { recorded, spans } = recording()
    await service({ spans }).ingest(ORG, { ...INPUT, card_id: 'ac-other' }, API)
    await service({ spans }).ingest(ORG, { ...INPUT, card_id: 'ac-other' }, API)
    expect(recorded).toMatchObject([
      {
        name: 'aap.verify_trace',
        attributes: {
          'aap.verification.result': true,
          'aap.verification.trace_id': 'tr-1',
          // The card it was verified against, which may differ from the one it names.
          'aap.verification.card_id': 'ac-1',
        },
      },
      {
        name: 'aap.detect_drift',
        attributes: { 'aap.drift.alerts_count': 1, 'aap.drift.traces_analyzed': 7 },
      },
    ])
  })

  it('records nothing for a trace that was not stored', async () => {
    const { recorded, spans } = recording()
    const followTrace = () => Promise.reject(new Error('no drift'))
    await expect(
      service({ spans, drift: { followTrace } }).ingest(ORG, INPUT, API),
    ).rejects.toThrow()
    expect(recorded).toEqual([])
  })

  it('records a verification with the known ids', async () => {
    const { recorded, spans } = recording()
    const { trace_id: _, ...nameless } = INPUT
    await service({ spans }).verify(ORG.orgId, nameless, CARD)
    expect(recorded).toMatchObject([{ name: 'aap.verify_trace' }])
    expect(recorded[0]?.attributes).toMatchObject({
      'aap.verification.trace_id': undefined,
      'aap.verification.card_id': undefined,
    })
  })
})
