import { evaluatePolicy, type PolicyRules } from '@touchstone/protocol/policy'
import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { type TestClock, testClock } from '#harness/clock.ts'
import { testDatabase, testNotices } from '#harness/database.ts'
import { HOUR_MS, SECOND_MS } from '../../../kernel/clock.ts'
import { type Database, type Db, transact } from '../../../kernel/db.ts'
import { createEvents } from '../../../kernel/events.ts'
import { toAgentId } from '../../../kernel/ids.ts'
import type { Notices } from '../../../kernel/notices.ts'
import type { FinishedSpan } from '../../../telemetry/spans.ts'
import type { Call } from './call-service.ts'
import { keeping, NO_WIPING, standingOf } from './evaluation.fixture.ts'
import type { NamedTransaction, Standing } from './holding.ts'
import { createEvaluationService, type EvaluationDeps, type HistoryAsk } from './service.ts'

const ORG = 'org-1'
const AGENT = 'agent-1'
/** What it is in service; machines that stand still pass it. */
const callMsMax = 250
const NOTHING: Standing = { policy: undefined, card: undefined }
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

function service(standing: Standing, changes: Partial<EvaluationDeps> = {}) {
  return createEvaluationService({
    db,
    clock,
    notices,
    spans: undefined,
    elapsedMs: () => 0,
    callMsMax: 60_000,
    events: createEvents({ db, clock, onEmit: () => undefined }),
    agents: { orgOf: async () => ORG, keeping },
    orgs: { accountOf: async () => 'ba-1' },
    policies: { standing: async () => standing, candidate: async () => standing },
    traces: { findLeftOut: async () => undefined, listToolUse: async () => [] },
    transactions: { forCall: async () => undefined },
    onEvaluated: () => undefined,
    onEvaluationFailed: (err) => failures.push(err),
    onRecordingFailed: (err) => failures.push(err),
    ...changes,
  })
}

type LiveCall = Call & { sessionId?: string }

const ask = (tools: readonly string[], changes: Partial<LiveCall> = {}): LiveCall => ({
  agentId: AGENT,
  tools,
  context: 'gateway',
  ...changes,
})

/** As a decision does: reads the rules, prepares the call, evaluates and records it. */
async function live(here: ReturnType<typeof service>, call: LiveCall) {
  const ready = await here.prepare(await here.rulesOf(ORG, call.agentId), call)
  if (ready.outcome !== 'ready') return ready
  const { compiled, policyId, policyVersion } = ready.holding
  const now = clock.now()
  const evaluation = evaluatePolicy(compiled, { ...ready.input, nowMs: now.getTime() })
  const { agentId, sessionId } = call
  const recorded = here.record({ ready, evaluation, orgId: ORG, agentId, now, sessionId })
  const mode = compiled.defaults.enforcement_mode
  return { outcome: 'evaluated', evaluation, mode, policyId, policyVersion, ...recorded } as const
}

async function evaluated(here: ReturnType<typeof service>, call: LiveCall) {
  const outcome = await live(here, call)
  if (outcome.outcome !== 'evaluated') throw new Error(outcome.outcome)
  await outcome.recorded()
  return outcome
}

const events = async () =>
  (await sql<{ type: string; data: { trace: object } }>`select * from event`.execute(db)).rows
const rows = async (table: string) =>
  (await sql<Record<string, unknown>>`select * from ${sql.table(table)}`.execute(db)).rows

describe('a live call', () => {
  it('of an agent without policy and transaction is told so, and leaves nothing', async () => {
    expect(await live(service(NOTHING), ask(['a']))).toEqual({ outcome: 'none' })
    expect(await rows('policy_evaluation')).toEqual([])
  })

  it('is judged, recorded and told once it fails', async () => {
    const outcome = await evaluated(service(standingOf(NO_WIPING)), ask(['wipe']))
    expect(outcome).toMatchObject({ policyId: 'pol-1', policyVersion: 3, mode: 'warn' })
    expect(outcome.evaluation.verdict).toBe('fail')
    expect(await rows('policy_evaluation')).toMatchObject([
      { evaluation_id: outcome.evaluationId, verdict: 'fail', context: 'gateway' },
    ])
    expect(await events()).toMatchObject([
      { type: 'policy.violation', account_id: 'ba-1', data: { trace: { agent_id: AGENT } } },
    ])
  })

  it('is told again after 60 seconds, whichever node judged it', async () => {
    const here = service(standingOf(NO_WIPING))
    const there = service(standingOf(NO_WIPING))
    await Promise.all([here, there].map((node) => evaluated(node, ask(['wipe']))))
    await Promise.all([1, 2, 3].map(() => evaluated(here, ask(['wipe']))))
    expect(await events()).toHaveLength(1)
    clock.advance(60 * SECOND_MS)
    await evaluated(there, ask(['wipe', 'other']))
    expect(await events()).toHaveLength(2)
    expect(await rows('policy_evaluation')).toHaveLength(6)
  })

  it('is in grace from the first time its tool was seen, and no longer', async () => {
    const here = service(standingOf(STRICT))
    const first = await evaluated(here, ask(['new']))
    expect(first.evaluation.warnings).toMatchObject([
      { type: 'grace_period', expires_at: '2026-03-02T12:00:00.000Z' },
    ])
    clock.advance(24 * HOUR_MS - 1)
    const last = await evaluated(here, ask(['new']))
    expect(last.evaluation).toMatchObject({ verdict: 'warn', violations: [] })
    clock.advance(1)
    expect((await evaluated(here, ask(['new']))).evaluation.verdict).toBe('fail')
    expect((await evaluated(service(standingOf(STRICT)), ask(['new']))).evaluation.verdict).toBe(
      'fail',
    )
    expect(await rows('policy_first_seen')).toHaveLength(1)
  })

  it('asks the database nothing once its tools are known', async () => {
    const here = service(standingOf(STRICT))
    await evaluated(here, ask(['known']))
    // With the only writer held up, what still answers needed no answer from there.
    await transact(db, async (tx) => {
      await sql`lock table policy_first_seen, policy_evaluation in access exclusive mode`.execute(
        tx,
      )
      const outcome = await live(here, ask(['known']))
      expect(outcome).toMatchObject({ outcome: 'evaluated', evaluation: { verdict: 'warn' } })
    })
    await here.close()
    expect(await rows('policy_evaluation')).toHaveLength(2)
  })

  it('of an agent that was erased meanwhile leaves nothing', async () => {
    const agents = { orgOf: async () => ORG, keeping: () => keeping([]) }
    await evaluated(service(standingOf(NO_WIPING), { agents }), ask(['wipe']))
    for (const table of ['policy_evaluation', 'policy_first_seen', 'policy_violation_told']) {
      expect(await rows(table)).toEqual([])
    }
    expect(await events()).toEqual([])
  })

  it('of an organisation that was deleted meanwhile is told to nobody', async () => {
    const orgs = { accountOf: async () => undefined }
    await evaluated(service(standingOf(NO_WIPING), { orgs }), ask(['wipe']))
    expect(await rows('policy_evaluation')).toHaveLength(1)
    expect(await events()).toEqual([])
  })

  it('under a transaction and no policy is held to the built-in rules', async () => {
    const transaction: NamedTransaction = {
      transactionId: 'txn-1',
      tools: ['read'],
      layers: [],
      status: 'active',
    }
    const outcome = await evaluated(service(NOTHING), ask(['read', 'wipe'], { transaction }))
    expect(outcome).toMatchObject({ policyId: null, policyVersion: null, mode: 'warn' })
    expect(outcome.evaluation.violations).toMatchObject([{ tool: 'wipe', rule: 'transaction' }])
    expect(await rows('policy_evaluation')).toMatchObject([{ transaction_id: 'txn-1' }])
  })

  it('shows triggers its arguments and keeps none of them', async () => {
    const condition = "args.to contains 'secret-place'"
    const trigger = { condition, action: 'deny', reason: 'not there' } as const
    const here = service(standingOf({ escalation_triggers: [trigger] }))
    const args = { to: 'the secret-place of all' }
    const outcome = await evaluated(here, ask(['send'], { args, sessionId: 'sess-1' }))
    expect(outcome.evaluation.verdict).toBe('fail')
    expect(JSON.stringify([await events(), await rows('policy_evaluation')])).not.toContain(
      'of all',
    )
    expect((await events())[0]?.data.trace).toMatchObject({ session_id: 'sess-1' })
  })

  it('is a span and a count', async () => {
    const spans: FinishedSpan[] = []
    const counted: string[] = []
    const here = service(standingOf(NO_WIPING), {
      spans: { record: (span) => spans.push(span) },
      onEvaluated: ({ evaluation }) => counted.push(evaluation.verdict),
    })
    await evaluated(here, ask(['wipe']))
    expect(spans).toMatchObject([{ name: 'policy.evaluate' }])
    expect(counted).toEqual(['fail'])
  })
})

describe('a live call that cannot be judged', () => {
  it('is closed to an agent whose policy was never read', async () => {
    const policies = {
      standing: () => Promise.reject(new Error('down')),
      candidate: async () => NOTHING,
    }
    const outcome = await live(service(NOTHING, { policies }), ask(['a']))
    expect(outcome).toMatchObject({ outcome: 'failed', failOpen: false })
    expect(outcome).toMatchObject({ cause: { message: 'down' } })
  })

  it('is as open as the policy was when it was last read', async () => {
    let standing: () => Promise<Standing> = async () =>
      standingOf({ defaults: { fail_open: true } })
    const policies = { standing: () => standing(), candidate: async () => NOTHING }
    const here = service(NOTHING, { policies })
    await evaluated(here, ask(['a']))
    standing = () => Promise.reject(new Error('down'))
    expect(await live(here, ask(['a']))).toMatchObject({ outcome: 'failed', failOpen: true })
    standing = async () => NOTHING
    expect(await live(here, ask(['a']))).toEqual({ outcome: 'none' })
    standing = () => Promise.reject(new Error('down'))
    expect(await live(here, ask(['a']))).toMatchObject({ outcome: 'failed', failOpen: false })
  })

  it('has failed when it took more than 250 ms, or never got what it asked for', async () => {
    let ms = 0
    const open = standingOf({ defaults: { fail_open: true } })
    const slow = service(open, { elapsedMs: () => (ms += 251), callMsMax })
    expect(await live(slow, ask(['a']))).toMatchObject({ outcome: 'failed', failOpen: true })
    // With its tools cached, the time it took shows at the first step of the evaluation.
    await evaluated(service(open), ask(['a']))
    const cached = service(open, { elapsedMs: () => ms, callMsMax })
    await live(cached, ask(['a']))
    const ready = await cached.prepare(await cached.rulesOf(ORG, AGENT), ask(['a']))
    ms += 251
    expect(() => ready.outcome === 'ready' && ready.input.beforeStep?.()).toThrow('took too long')
    const never = new Promise<Standing>(() => undefined)
    const policies = { standing: () => never, candidate: async () => NOTHING }
    const stuck = service(open, { policies, callMsMax })
    expect(await live(stuck, ask(['a']))).toMatchObject({ outcome: 'failed', failOpen: false })
  })

  it('is judged all the same when it cannot be recorded, and that is told', async () => {
    const agents = { orgOf: async () => ORG, keeping: () => sql<{ agent_id: string }>`select no` }
    const outcome = await live(service(standingOf(NO_WIPING), { agents }), ask(['wipe']))
    if (outcome.outcome !== 'evaluated') throw new Error(outcome.outcome)
    expect(outcome.evaluation.verdict).toBe('fail')
    await expect(outcome.recorded()).rejects.toThrow('no')
    expect(failures).toHaveLength(1)
  })
})

describe('the past', () => {
  const wanted: HistoryAsk = {
    orgId: ORG,
    agentId: AGENT,
    context: 'audit',
    candidate: undefined,
    range: { start: new Date(0), end: new Date(HOUR_MS) },
  }
  const tracesOf = (count: number) => {
    const all = Array.from({ length: count }, (_, n) => ({
      traceId: `tr-${n}`,
      occurredAt: new Date(n),
      tools: ['wipe'],
    }))
    return { findLeftOut: async () => undefined, listToolUse: async () => all }
  }

  it('of one call is given up when it took more than 250 ms', async () => {
    let ms = 0
    const changes = { traces: tracesOf(1), elapsedMs: () => (ms += 251), callMsMax }
    const here = service(standingOf(NO_WIPING), changes)
    await expect(here.evaluateHistory(wanted)).rejects.toThrow('took too long')
  })

  it('of too many calls is refused when they take more than 20 seconds', async () => {
    let ms = 0
    const changes = { traces: tracesOf(199), elapsedMs: () => (ms += 50) }
    const here = service(standingOf(NO_WIPING), changes)
    await expect(here.evaluateHistory(wanted)).rejects.toMatchObject({ code: 'validation_error' })
    ms = 0
    const some = service(standingOf(NO_WIPING), { ...changes, traces: tracesOf(50) })
    expect(await some.evaluateHistory(wanted)).toMatchObject({ tracesEvaluated: 50 })
  })
})

describe('policy of traces', () => {
  const at = (hours: number) => new Date(clock.nowMs() + hours * HOUR_MS)

  it('is not told of a trace for which it took more than 250 ms, and the operator hears', async () => {
    let ms = 0
    const here = service(standingOf(STRICT), { elapsedMs: () => (ms += 251), callMsMax })
    const use = { agentId: AGENT, tools: ['new'] }
    const policies = await here.prepareTraces(ORG, [use])
    expect(policies.judge({ ...use, at: at(0) }, new Map())).toBeUndefined()
    expect(failures).toMatchObject([{ message: 'the evaluation took too long' }])
  })

  it('is read once for a batch, and a tool is known to the traces after its first', async () => {
    const here = service(standingOf(STRICT))
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
    expect((await evaluated(here, ask(['new']))).evaluation.verdict).toBe('fail')
  })

  it('knows a tool within a transaction, and forgets it with one that fails', async () => {
    const here = service(standingOf(STRICT))
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

  it('asks the database nothing for agents without one', async () => {
    await transact(db, async (tx) => {
      await sql`lock table policy_first_seen in access exclusive mode`.execute(tx)
      const use = { agentId: AGENT, tools: ['new'] }
      const policies = await service(NOTHING).prepareTraces(ORG, [use])
      expect(policies.judge({ ...use, at: at(0) }, new Map())).toBeUndefined()
    })
  })
})

describe('erasure of an agent', () => {
  it('takes what was recorded of it', async () => {
    const here = service(standingOf(NO_WIPING))
    await evaluated(here, ask(['wipe']))
    await transact(db, (tx) => here.erase(tx, toAgentId(AGENT)))
    for (const table of ['policy_evaluation', 'policy_first_seen', 'policy_violation_told']) {
      expect(await rows(table)).toEqual([])
    }
  })
})
