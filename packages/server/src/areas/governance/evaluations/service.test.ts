import { evaluatePolicy, type PolicyRules } from '@touchstone/protocol/policy'
import { type KyselyPlugin, sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { type TestClock, testClock } from '#harness/clock.ts'
import { testDatabase, testNotices } from '#harness/database.ts'
import type { Database } from '../../../database/database.ts'
import { HOUR_MS, SECOND_MS } from '../../../kernel/clock.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import { createEvents } from '../../../kernel/events.ts'
import { toAgentId } from '../../../kernel/ids.ts'
import type { Notices } from '../../../kernel/notices.ts'
import type { FinishedSpan } from '../../../telemetry/spans.ts'
import type { CallTransaction, EffectiveRules } from './call-policy.ts'
import type { Call } from './call-service.ts'
import { effectiveRulesOf, NO_WIPING, selectExisting } from './evaluation.fixture.ts'
import { createEvaluationService, type EvaluationDeps, type HistoryRequest } from './service.ts'

const ORG = 'org-1'
const AGENT = 'agent-1'
/** The limit in production. Other tests use a longer one, because a busy machine may exceed it. */
const callMsMax = 250
const NOTHING: EffectiveRules = { policy: undefined, card: undefined }
const STRICT: Partial<PolicyRules> = {
  defaults: {
    unmapped_tool_action: 'block',
    enforcement_mode: 'enforce',
    grace_period_hours: 24,
  },
}

let database: Database
let db: Db
let clock: TestClock
let notices: Notices
let failures: unknown[]

beforeEach(async () => {
  database = await testDatabase()
  db = database.db
  clock = testClock()
  notices = await testNotices(database)
  failures = []
})

function service(effective: EffectiveRules, changes: Partial<EvaluationDeps> = {}) {
  return createEvaluationService({
    db,
    clock,
    notices,
    spans: undefined,
    elapsedMs: () => 0,
    callMsMax: 60_000,
    events: createEvents({ db, clock, onEmit: () => undefined }),
    agents: { orgOf: async () => ORG, selectExisting },
    orgs: { accountOf: async () => 'ba-1' },
    policies: { effectiveRules: async () => effective, candidate: async () => effective },
    traces: { findLeftOut: async () => undefined, listToolUse: async () => [] },
    transactions: { forCall: async () => undefined },
    onEvaluated: () => undefined,
    onEvaluationFailed: (err) => failures.push(err),
    onRecordingFailed: (err) => failures.push(err),
    ...changes,
  })
}

type LiveCall = Call & { sessionId?: string }

const callOf = (tools: readonly string[], changes: Partial<LiveCall> = {}): LiveCall => ({
  agentId: AGENT,
  tools,
  context: 'gateway',
  ...changes,
})

/** Does what a decision does: reads the rules, prepares the call, evaluates and notes it. */
async function live(here: ReturnType<typeof service>, call: LiveCall) {
  const ready = await here.prepare(await here.rulesOf(ORG, call.agentId), call)
  if (ready.outcome !== 'ready') return ready
  const { compiled, policyId, policyVersion } = ready.callPolicy
  const now = clock.now()
  const evaluation = evaluatePolicy(compiled, { ...ready.input, nowMs: now.getTime() })
  const { agentId, sessionId } = call
  const noted = here.note({ ready, evaluation, orgId: ORG, agentId, now, sessionId })
  const mode = compiled.defaults.enforcement_mode
  return { outcome: 'evaluated', evaluation, mode, policyId, policyVersion, noted } as const
}

async function evaluated(here: ReturnType<typeof service>, call: LiveCall) {
  const outcome = await live(here, call)
  if (outcome.outcome !== 'evaluated') throw new Error(outcome.outcome)
  await outcome.noted()
  return outcome
}

const events = async () =>
  (await sql<{ type: string; data: { trace: object } }>`select * from event`.execute(db)).rows
const rows = async (table: string) =>
  (await sql<Record<string, unknown>>`select * from ${sql.table(table)}`.execute(db)).rows

describe('a live call', () => {
  it('without policy and transaction is not evaluated', async () => {
    expect(await live(service(NOTHING), callOf(['a']))).toEqual({ outcome: 'none' })
  })

  it('is evaluated, emits an event if it fails, and is stored only with its decision', async () => {
    const outcome = await evaluated(service(effectiveRulesOf(NO_WIPING)), callOf(['wipe']))
    expect(outcome).toMatchObject({ policyId: 'pol-1', policyVersion: 3, mode: 'warn' })
    expect(outcome.evaluation.verdict).toBe('fail')
    expect(await rows('policy_evaluation')).toEqual([])
    expect(await events()).toMatchObject([
      { type: 'policy.violation', account_id: 'ba-1', data: { trace: { agent_id: AGENT } } },
    ])
  })

  it('emits one event in 60 seconds across all nodes', async () => {
    const here = service(effectiveRulesOf(NO_WIPING))
    const there = service(effectiveRulesOf(NO_WIPING))
    await Promise.all([here, there].map((node) => evaluated(node, callOf(['wipe']))))
    await Promise.all([1, 2, 3].map(() => evaluated(here, callOf(['wipe']))))
    expect(await events()).toHaveLength(1)
    clock.advance(60 * SECOND_MS)
    await evaluated(there, callOf(['wipe', 'other']))
    expect(await events()).toHaveLength(2)
  })

  it('has a grace period from the first sighting of its tool', async () => {
    const here = service(effectiveRulesOf(STRICT))
    const first = await evaluated(here, callOf(['new']))
    expect(first.evaluation.warnings).toMatchObject([
      { type: 'grace_period', expires_at: '2026-03-02T12:00:00.000Z' },
    ])
    clock.advance(24 * HOUR_MS - 1)
    const last = await evaluated(here, callOf(['new']))
    expect(last.evaluation).toMatchObject({ verdict: 'warn', violations: [] })
    clock.advance(1)
    expect((await evaluated(here, callOf(['new']))).evaluation.verdict).toBe('fail')
    expect(
      (await evaluated(service(effectiveRulesOf(STRICT)), callOf(['new']))).evaluation.verdict,
    ).toBe('fail')
    expect(await rows('policy_first_seen')).toHaveLength(1)
  })

  it('is prepared with one query for all calls of a batch', async () => {
    let queries = 0
    const counting: KyselyPlugin = {
      transformQuery({ node }) {
        queries += 1
        return node
      },
      transformResult: async ({ result }) => result,
    }
    await evaluated(service(effectiveRulesOf(STRICT)), callOf(['known']))
    const here = service(effectiveRulesOf(STRICT), { db: db.withPlugin(counting) })
    const rules = await here.rulesOf(ORG, AGENT)
    const tools = ['known', 'new-1', 'new-2', 'new-2', 'new-3']
    const ready = await Promise.all(tools.map((tool) => here.prepare(rules, callOf([tool]))))
    expect(queries).toBe(1)
    const seen = ready.map((one) => one.outcome === 'ready' && [...one.input.firstSeenMs.keys()])
    expect(seen).toEqual([['known'], [], [], [], []])
  })

  it('needs no query once its tools are cached', async () => {
    const here = service(effectiveRulesOf(STRICT))
    await evaluated(here, callOf(['known']))
    // The lock blocks every query on these tables, so a call that completes made none.
    await transact(db, async (tx) => {
      await sql`lock table policy_first_seen in access exclusive mode`.execute(tx)
      const outcome = await live(here, callOf(['known']))
      expect(outcome).toMatchObject({ outcome: 'evaluated', evaluation: { verdict: 'warn' } })
    })
    await here.close()
  })

  it('of an agent that was erased meanwhile stores nothing', async () => {
    const agents = { orgOf: async () => ORG, selectExisting: () => selectExisting([]) }
    await evaluated(service(effectiveRulesOf(NO_WIPING), { agents }), callOf(['wipe']))
    for (const table of ['policy_first_seen', 'policy_violation_told']) {
      expect(await rows(table)).toEqual([])
    }
    expect(await events()).toEqual([])
  })

  it('of an organisation that was deleted meanwhile emits no event', async () => {
    const orgs = { accountOf: async () => undefined }
    await evaluated(service(effectiveRulesOf(NO_WIPING), { orgs }), callOf(['wipe']))
    expect(await rows('policy_first_seen')).toHaveLength(1)
    expect(await events()).toEqual([])
  })

  it('with a transaction and no policy is evaluated with the built-in rules', async () => {
    const transaction: CallTransaction = {
      transactionId: 'txn-1',
      tools: ['read'],
      layers: [],
      status: 'active',
    }
    const outcome = await evaluated(service(NOTHING), callOf(['read', 'wipe'], { transaction }))
    expect(outcome).toMatchObject({ policyId: null, policyVersion: null, mode: 'warn' })
    expect(outcome.evaluation.violations).toMatchObject([{ tool: 'wipe', rule: 'transaction' }])
  })

  it('exposes its arguments to triggers and stores none of them', async () => {
    const condition = "args.to contains 'secret-place'"
    const trigger = { condition, action: 'deny', reason: 'not there' } as const
    const here = service(effectiveRulesOf({ escalation_triggers: [trigger] }))
    const args = { to: 'the secret-place of all' }
    const outcome = await evaluated(here, callOf(['send'], { args, sessionId: 'sess-1' }))
    expect(outcome.evaluation.verdict).toBe('fail')
    expect(JSON.stringify(await events())).not.toContain('of all')
    expect((await events())[0]?.data.trace).toMatchObject({ session_id: 'sess-1' })
  })

  it('is exported as a span and counted', async () => {
    const spans: FinishedSpan[] = []
    const counted: string[] = []
    const here = service(effectiveRulesOf(NO_WIPING), {
      spans: { record: (span) => spans.push(span) },
      onEvaluated: ({ evaluation }) => counted.push(evaluation.verdict),
    })
    await evaluated(here, callOf(['wipe']))
    expect(spans).toMatchObject([{ name: 'policy.evaluate' }])
    expect(counted).toEqual(['fail'])
  })
})

describe('a live call that cannot be evaluated', () => {
  it('fails closed if the policy was never read', async () => {
    const policies = {
      effectiveRules: () => Promise.reject(new Error('down')),
      candidate: async () => NOTHING,
    }
    const outcome = await live(service(NOTHING, { policies }), callOf(['a']))
    expect(outcome).toMatchObject({ outcome: 'failed', failOpen: false })
    expect(outcome).toMatchObject({ cause: { message: 'down' } })
  })

  it('uses the fail_open of the policy that was last read', async () => {
    let read: () => Promise<EffectiveRules> = async () =>
      effectiveRulesOf({ defaults: { fail_open: true } })
    const policies = { effectiveRules: () => read(), candidate: async () => NOTHING }
    const here = service(NOTHING, { policies })
    await evaluated(here, callOf(['a']))
    read = () => Promise.reject(new Error('down'))
    expect(await live(here, callOf(['a']))).toMatchObject({ outcome: 'failed', failOpen: true })
    read = async () => NOTHING
    expect(await live(here, callOf(['a']))).toEqual({ outcome: 'none' })
    read = () => Promise.reject(new Error('down'))
    expect(await live(here, callOf(['a']))).toMatchObject({ outcome: 'failed', failOpen: false })
  })

  it('fails if it takes more than 250 ms or the policy never arrives', async () => {
    let ms = 0
    const open = effectiveRulesOf({ defaults: { fail_open: true } })
    const slow = service(open, { elapsedMs: () => (ms += 251), callMsMax })
    expect(await live(slow, callOf(['a']))).toMatchObject({ outcome: 'failed', failOpen: true })
    // If all tools are cached, the first step of the evaluation checks the deadline.
    await evaluated(service(open), callOf(['a']))
    const cached = service(open, { elapsedMs: () => ms, callMsMax })
    await live(cached, callOf(['a']))
    const ready = await cached.prepare(await cached.rulesOf(ORG, AGENT), callOf(['a']))
    ms += 251
    expect(() => ready.outcome === 'ready' && ready.input.beforeStep?.()).toThrow('took too long')
    const never = new Promise<EffectiveRules>(() => undefined)
    const policies = { effectiveRules: () => never, candidate: async () => NOTHING }
    const stuck = service(open, { policies, callMsMax })
    expect(await live(stuck, callOf(['a']))).toMatchObject({ outcome: 'failed', failOpen: false })
  })

  it('is evaluated even if its event cannot be stored, and the failure is reported', async () => {
    const agents = {
      orgOf: async () => ORG,
      selectExisting: () => sql<{ agent_id: string }>`select no`,
    }
    const outcome = await live(service(effectiveRulesOf(NO_WIPING), { agents }), callOf(['wipe']))
    if (outcome.outcome !== 'evaluated') throw new Error(outcome.outcome)
    expect(outcome.evaluation.verdict).toBe('fail')
    await expect(outcome.noted()).rejects.toThrow('no')
    expect(failures).toHaveLength(1)
  })
})

describe('an evaluation of past traces', () => {
  const REQUEST: HistoryRequest = {
    orgId: ORG,
    agentId: AGENT,
    context: 'audit',
    candidate: undefined,
    range: { start: new Date(0), end: new Date(HOUR_MS) },
  }
  const tracesOf = (count: number) => {
    const all = Array.from({ length: count }, (_, n) => ({
      traceId: `tr-${n}`,
      sessionId: 's',
      occurredAt: new Date(n),
      tools: ['wipe'],
    }))
    return { findLeftOut: async () => undefined, listToolUse: async () => all }
  }

  it('fails if one trace takes more than 250 ms', async () => {
    let ms = 0
    const changes = { traces: tracesOf(1), elapsedMs: () => (ms += 251), callMsMax }
    const here = service(effectiveRulesOf(NO_WIPING), changes)
    await expect(here.evaluateHistory(REQUEST)).rejects.toThrow('took too long')
  })

  it('is refused if all traces take more than 20 seconds', async () => {
    let ms = 0
    const changes = { traces: tracesOf(199), elapsedMs: () => (ms += 50) }
    const here = service(effectiveRulesOf(NO_WIPING), changes)
    await expect(here.evaluateHistory(REQUEST)).rejects.toMatchObject({ code: 'validation_error' })
    ms = 0
    const some = service(effectiveRulesOf(NO_WIPING), { ...changes, traces: tracesOf(50) })
    expect(await some.evaluateHistory(REQUEST)).toMatchObject({ tracesEvaluated: 50 })
  })
})

describe('the evaluation of incoming traces', () => {
  const at = (hours: number) => new Date(clock.nowMs() + hours * HOUR_MS)

  it('has no result if it takes more than 250 ms, and the failure is reported', async () => {
    let ms = 0
    const here = service(effectiveRulesOf(STRICT), { elapsedMs: () => (ms += 251), callMsMax })
    const use = { agentId: AGENT, tools: ['new'] }
    const policies = await here.prepareTraces(ORG, [use])
    expect(policies.judge({ ...use, at: at(0) }, new Map())).toBeUndefined()
    expect(failures).toMatchObject([{ message: 'the evaluation took too long' }])
  })

  it('reads once for a batch, in which later traces know the tools of earlier ones', async () => {
    const here = service(effectiveRulesOf(STRICT))
    const use = { agentId: AGENT, tools: ['new'] }
    const policies = await here.prepareTraces(ORG, [use, use])
    const first = policies.judge({ ...use, at: at(-48) }, new Map())
    expect(first?.findings).toMatchObject({ verdict: 'warn', warnings: 1 })
    await transact(db, async (tx) => first?.record(tx, 'tr-1'))
    first?.settle()
    const second = policies.judge({ ...use, at: at(-24) }, new Map())
    expect(second?.findings).toMatchObject({ verdict: 'fail', tools: ['new'] })
    expect(await rows('policy_first_seen')).toMatchObject([{ first_seen_at: at(-48) }])
    expect(await rows('policy_evaluation')).toMatchObject([
      { trace_id: 'tr-1', context: 'runtime', verdict: 'warn' },
    ])
    expect((await evaluated(here, callOf(['new']))).evaluation.verdict).toBe('fail')
  })

  it('knows a tool within a transaction, and not after a rollback', async () => {
    const here = service(effectiveRulesOf(STRICT))
    const use = { agentId: AGENT, tools: ['new'] }
    const policies = await here.prepareTraces(ORG, [use, use])
    const both = async (tx: Db) => {
      const sighted = new Map<string, number>()
      const first = policies.judge({ ...use, at: at(-48) }, sighted)
      await first?.record(tx, 'tr-1')
      const second = policies.judge({ ...use, at: at(-24) }, sighted)
      await second?.record(tx, 'tr-2')
      return [first?.findings.verdict, second?.findings.verdict]
    }
    const broken = transact(db, async (tx) => {
      await both(tx)
      throw new Error('rolled back')
    })
    await expect(broken).rejects.toThrow('rolled back')
    expect(await rows('policy_first_seen')).toEqual([])
    expect(await transact(db, both)).toEqual(['warn', 'fail'])
    expect(await rows('policy_first_seen')).toMatchObject([{ first_seen_at: at(-48) }])
  })

  it('needs no query for agents without a policy', async () => {
    await transact(db, async (tx) => {
      await sql`lock table policy_first_seen in access exclusive mode`.execute(tx)
      const use = { agentId: AGENT, tools: ['new'] }
      const policies = await service(NOTHING).prepareTraces(ORG, [use])
      expect(policies.judge({ ...use, at: at(0) }, new Map())).toBeUndefined()
    })
  })
})

describe('the erasure of an agent', () => {
  it('deletes its evaluations, sightings and violation marks', async () => {
    const here = service(effectiveRulesOf(NO_WIPING))
    await evaluated(here, callOf(['wipe']))
    await transact(db, (tx) => here.erase(tx, toAgentId(AGENT)))
    for (const table of ['policy_first_seen', 'policy_violation_told']) {
      expect(await rows(table)).toEqual([])
    }
  })
})
