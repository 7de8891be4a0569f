import { bytesToHex } from '@touchstone/protocol/base'
import { ed25519PublicKey, hashCanonical, keyId, signEd25519 } from '@touchstone/protocol/crypto'
import { verifyDecisionReceipt } from '@touchstone/protocol/policy'
import { sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type TestClock, testClock } from '#harness/clock.ts'
import { testDatabase, testNotices } from '#harness/database.ts'
import { testLogQueue } from '#harness/log-queue.ts'
import { type AuditEntry, SYSTEM_ACTOR } from '../../../audit.ts'
import type { Db } from '../../../kernel/db.ts'
import type { NewEvent } from '../../../kernel/events.ts'
import { toAgentId, toDecisionId } from '../../../kernel/ids.ts'
import type { Jobs } from '../../../kernel/jobs.ts'
import type { Notices } from '../../../kernel/notices.ts'
import { Problem } from '../../../kernel/problem.ts'
import { createSecretBox } from '../../../kernel/secrets.ts'
import { createApprovalService } from '../approvals/service.ts'
import { createLedger } from '../decisions/ledger-service.ts'
import type { Agents } from '../decisions/ports.ts'
import { createSessionCounters } from '../decisions/session-counter-service.ts'
import { createDecisionStore } from '../decisions/store.ts'
import type { Prepared } from './agent-snapshot.ts'
import type { GatewayCall } from './call.ts'
import { ESCALATE, FORBIDDEN, PERMISSIVE, readyOf } from './gateway.fixture.ts'
import type { Containment, Evaluations, Holds } from './ports.ts'
import { createGatewayService, type GatewayDeps } from './service.ts'

const SEED = new Uint8Array(32).fill(7)
const PUBLIC_KEY = ed25519PublicKey(SEED)
const KEY = { key_id: keyId(PUBLIC_KEY), public_key: bytesToHex(PUBLIC_KEY) }
const ORG = { orgId: 'org-1', accountId: 'ba-1' }
const CALLER = {
  askedBy: 'key-1',
  source: 'api',
  enforced: true,
  client: null,
  isBound: false,
} as const
const MINUTE_MS = 60_000

let db: Db
let notices: Notices
let clock: TestClock
let count = 0
let agentId = ''
const events: NewEvent[] = []
const entries: AuditEntry[] = []
let prepared: Parameters<Evaluations['prepare']>[1][] = []
let notes: Parameters<Evaluations['note']>[0][] = []
let failures: unknown[] = []
let policy: Prepared = { outcome: 'none' }
let noted = async (): Promise<void> => undefined
let elapsed = 0

beforeAll(async () => {
  const database = await testDatabase()
  db = database.db
  notices = await testNotices(database)
})

beforeEach(() => {
  count += 1
  agentId = `agent-${count}`
  clock = testClock()
  events.length = 0
  entries.length = 0
  prepared = []
  notes = []
  failures = []
  policy = { outcome: 'none' }
  noted = async () => undefined
})

const stream = { publish: (_orgId: string, message: () => unknown) => void message() }

/** No channel is set in these tests, so nothing is ever queued. */
const NO_JOBS: Jobs = {
  enqueue: async () => expect.fail('no job is expected'),
  handle: () => undefined,
  runDue: async () => 0,
  start: () => undefined,
  stop: async () => undefined,
  purge: async () => 0,
}

function approvals() {
  return createApprovalService({
    db,
    clock,
    log: testLogQueue(),
    jobs: NO_JOBS,
    mailer: { queue: async () => undefined },
    members: { idsOf: async () => [], rolesOf: async () => new Map(), emailsOf: async () => [] },
    agentNames: { nameOf: async () => undefined },
    endpoints: {
      assertAllowed: async () => undefined,
      urlsOf: async () => new Map(),
      set: async () => undefined,
      send: async () => undefined,
    },
    notices,
    secrets: createSecretBox(Buffer.alloc(32, 7)),
    baseUrl: 'https://touchstone.example.com',
    storesArguments: true,
    audit: { record: async (_tx, entry) => void entries.push(entry) },
    events: {
      emit: async (_tx, event) => void events.push(event),
      emitAll: async (_tx, all) => void events.push(...all),
      purge: async () => 0,
    },
    agents: { hear: async () => undefined },
  })
}

function gateway(given: Partial<GatewayDeps> = {}) {
  return createGatewayService({
    clock,
    stream,
    approvals: approvals(),
    kept: { listOfCall: async () => [], find: async () => undefined },
    agents: {
      findKnown: async (id) =>
        id.startsWith('agent-')
          ? { orgId: ORG.orgId, status: 'active', enforcementMode: 'enforce' }
          : undefined,
      onKnownChange: () => undefined,
    },
    policies: { onRulesChange: () => undefined, bytesOf: () => 0 },
    hearsChanges: () => true,
    evaluations: {
      rulesOf: async () => RULES,
      async prepare(_rules, given) {
        prepared.push(given)
        return policy
      },
      note(call) {
        notes.push(call)
        return () => noted()
      },
      reportFailure: (cause) => void failures.push(cause),
    },
    transactions: {
      forCall: async (_orgId, _agentId, transactionId) =>
        transactionId === 'txn-1'
          ? { transactionId, status: 'active', tools: ['refund'], layers: [] }
          : undefined,
    },
    containment: containedAs({ status: 'active' }),
    holds: {
      isHeld: async () => false,
      hasNudges: async () => true,
      onNudgeChange: () => undefined,
      takeNudges: async () => [],
    },
    toolPins: { changedTools: async () => new Set(), onChangedTools: () => undefined },
    ledger: createTestLedger(db, clock),
    sessionCounters: createSessionCounters({ db, groupCommitDb: db, clock, agents: EXISTING }),
    elapsedMs: () => {
      elapsed += 1.5
      return elapsed
    },
    ...given,
  })
}

const EXISTING: Agents = {
  selectExisting: (agentIds) => sql`select unnest(${agentIds}::text[]) as agent_id`,
  lockedAmong: async () => [],
}

function createTestLedger(db: Db, clock: TestClock) {
  return createLedger({
    db,
    clock,
    log: testLogQueue(),
    agents: EXISTING,
    sessionCounters: createSessionCounters({ db, groupCommitDb: db, clock, agents: EXISTING }),
    signer: async () => ({
      keyId: KEY.key_id,
      signOnWorker: async (payload) => Buffer.from(signEd25519(payload, SEED)),
    }),
    announceStopped: async () => undefined,
    durability: 'before_answer',
    onUnrecorded: () => undefined,
    onError: () => undefined,
  })
}

const RULES = {
  readable: true,
  effective: { policy: undefined, card: undefined },
  readMs: 0,
} as const

function containedAs(state: Awaited<ReturnType<Containment['stateOf']>>): Containment {
  return { stateOf: async () => state, onStateChange: () => undefined }
}

function call(given: Partial<GatewayCall> = {}): GatewayCall {
  return {
    agentId,
    tool: 'refund',
    arguments: undefined,
    justification: undefined,
    sessionId: undefined,
    callId: undefined,
    transactionId: undefined,
    escalationId: undefined,
    ...given,
  }
}

async function decisionOf(given: GatewayCall): Promise<string> {
  return (await gateway().decide(ORG, given, CALLER)).result.decision.decision
}

async function codeOf(work: Promise<unknown>): Promise<unknown> {
  const err = await work.catch((thrown: unknown) => thrown)
  return err instanceof Problem ? err.code : err
}

describe('a decision', () => {
  it('evaluates the arguments of a call and returns none of them', async () => {
    const args = { amount: 20, card: '4111111111111111' }
    const decided = await gateway().decide(
      ORG,
      call({ arguments: args, transactionId: 'txn-1' }),
      CALLER,
    )
    expect(prepared).toMatchObject([
      {
        agentId,
        tools: ['refund'],
        context: 'gateway',
        args,
        transaction: { transactionId: 'txn-1' },
      },
    ])
    expect(decided).toMatchObject({
      agentMode: 'enforce',
      durationMs: 1.5,
      contained: undefined,
      result: {
        decision: { decision: 'allow' },
        facts: { verdict: null, mode: 'warn' },
        transactionId: 'txn-1',
        escalationId: null,
      },
    })
    expect(JSON.stringify(decided)).not.toContain('4111')
  })

  it('has a receipt that verifies with the published keys', async () => {
    policy = readyOf(FORBIDDEN)
    const decided = await gateway().decide(ORG, call({ arguments: { a: 1 } }), CALLER)
    expect(verifyDecisionReceipt(decided.receipt, [KEY])).toEqual({
      valid: true,
      checks: { form: true, batch: true, signature: true },
      statement: {
        '@context': 'urn:touchstone:decision-receipt:v1',
        decision_id: decided.decisionId,
        decision: 'block',
        agent_id: agentId,
        tool: 'refund',
        arguments_hash: hashCanonical({ a: 1 }),
        policy_id: 'pol-1',
        policy_version: 3,
        transaction_id: null,
        escalation_id: null,
        decided_at: '2026-03-01T12:00:00.000Z',
      },
    })
  })

  it('is committed before it is returned, whatever it is', async () => {
    for (const rules of [PERMISSIVE, FORBIDDEN, ESCALATE]) {
      policy = readyOf(rules)
      const decided = await gateway().decide(ORG, call({ sessionId: 's', callId: 'c-1' }), CALLER)
      const stored = await createDecisionStore(db).find(ORG.orgId, toDecisionId(decided.decisionId))
      expect(stored).toMatchObject({
        agentId,
        tool: 'refund',
        sessionId: 's',
        callId: 'c-1',
        decision: decided.result.decision.decision,
        reasons: decided.result.decision.reasons,
        escalationId: decided.result.escalationId,
        durationMs: decided.durationMs,
        askedBy: 'key-1',
      })
    }
  })

  it('that cannot be stored is not returned', async () => {
    const record = () => Promise.reject(new Error('disk full'))
    const ledger = { ...createTestLedger(db, clock), record }
    policy = readyOf(PERMISSIVE)
    await expect(gateway({ ledger }).decide(ORG, call(), CALLER)).rejects.toThrow('disk full')
  })

  it.each([
    { rules: PERMISSIVE, failOpen: false, decision: 'block' },
    { rules: PERMISSIVE, failOpen: true, decision: 'warn' },
    { rules: FORBIDDEN, failOpen: true, decision: 'block' },
  ])('follows fail_open $failOpen while the database is down: $decision', async (given) => {
    const record = () => Promise.reject(new Error('connect ECONNREFUSED'))
    const ledger = { ...createTestLedger(db, clock), record }
    policy = readyOf({ ...given.rules, defaults: { fail_open: given.failOpen } })
    const decided = await gateway({ ledger }).decide(ORG, call(), CALLER)
    expect(decided).toMatchObject({
      isRecorded: false,
      result: { decision: { decision: given.decision } },
    })
    expect(decided.result.decision.reasons.at(-1)).toMatchObject({ code: 'evaluation_error' })
    expect(verifyDecisionReceipt(decided.receipt, [KEY]).valid).toBe(true)
  })

  it('is stored as it was answered, even if its first record was committed unnoticed', async () => {
    const real = createTestLedger(db, clock)
    const record: typeof real.record = async (decision) => {
      await real.record(decision)
      throw new Error('Connection terminated unexpectedly')
    }
    policy = readyOf(PERMISSIVE)
    const decided = await gateway({ ledger: { ...real, record } }).decide(ORG, call(), CALLER)
    await real.stop()
    const stored = await createDecisionStore(db).find(ORG.orgId, toDecisionId(decided.decisionId))
    expect(decided.result.decision).toMatchObject({ decision: 'block' })
    expect(stored).toMatchObject({ decision: 'block', agentId })
  })

  it('that stops a call waits for its events; one that allows it does not', async () => {
    const steps: string[] = []
    noted = async () => {
      await new Promise(setImmediate)
      steps.push('committed')
    }
    policy = readyOf(FORBIDDEN)
    await gateway().decide(ORG, call(), CALLER)
    expect(steps).toEqual(['committed'])
    noted = () => Promise.reject(new Error('disk full'))
    policy = readyOf(ESCALATE)
    await expect(gateway().decide(ORG, call(), CALLER)).rejects.toThrow('disk full')
    expect(events).toEqual([])
    policy = readyOf(PERMISSIVE)
    expect(await decisionOf(call())).toBe('allow')
  })

  it('notes its evaluation once and reports a failed one', async () => {
    policy = readyOf(ESCALATE)
    await gateway().decide(ORG, call({ sessionId: 'sess-1' }), CALLER)
    expect(notes).toMatchObject([
      {
        ready: policy,
        evaluation: { verdict: 'warn', violations: [{ type: 'escalation' }] },
        orgId: 'org-1',
        agentId,
        now: clock.now(),
        sessionId: 'sess-1',
      },
    ])
    policy = { outcome: 'failed', failOpen: true, cause: 'down' }
    expect(await decisionOf(call())).toBe('warn')
    expect(notes).toHaveLength(1)
    expect(failures).toEqual(['down'])
  })

  it('is refused for an unknown, foreign or archived agent and for an unknown transaction', async () => {
    const decide = (orgId: string, given: Partial<GatewayCall>) =>
      codeOf(gateway().decide({ ...ORG, orgId }, call(given), CALLER))
    expect(await decide('org-1', { agentId: 'nobody' })).toBe('agent_not_found')
    expect(await decide('org-2', {})).toBe('agent_not_found')
    expect(await decide('org-1', { transactionId: 'txn-2' })).toBe('not_found')
    const known = { orgId: ORG.orgId, status: 'archived', enforcementMode: 'observe' } as const
    const agents = { findKnown: async () => known, onKnownChange: () => undefined }
    expect(await codeOf(gateway({ agents }).decide(ORG, call(), CALLER))).toBe('conflict')
    expect(prepared).toEqual([])
  })
})

describe('a contained agent', () => {
  it('is blocked without evaluating its policy', async () => {
    const containedAt = new Date('2026-02-26T10:00:00.000Z')
    const containment = containedAs({ status: 'paused', containedAt })
    const decided = await gateway({ containment }).decide(
      ORG,
      call({ transactionId: 'txn-1' }),
      CALLER,
    )
    expect(decided.contained).toEqual({ status: 'paused', containedAt })
    expect(decided.result.decision).toMatchObject({
      decision: 'block',
      reasons: [{ code: 'agent_paused', source: 'containment' }],
    })
    expect(verifyDecisionReceipt(decided.receipt, [KEY]).valid).toBe(true)
    expect(prepared).toEqual([])
  })

  it('is decided normally once it is active again', async () => {
    const containment = containedAs({ status: 'active' })
    const decided = await gateway({ containment }).decide(ORG, call(), CALLER)
    expect(decided.contained).toBeUndefined()
    expect(decided.result.decision.decision).toBe('allow')
  })
})

describe('an integrity hold', () => {
  it('blocks an agent in enforcement mode enforce and delivers the nudges of the session', async () => {
    const nudge = {
      nudgeId: 'ndg-1',
      agentId,
      sessionId: 'sess-1',
      checkpointId: 'ic-1',
      message: 'Look again',
      createdAt: clock.now(),
    }
    const holds: Holds = {
      isHeld: async ({ sessionId }) => sessionId === 'sess-1',
      hasNudges: async () => true,
      onNudgeChange: () => undefined,
      takeNudges: async ({ sessionId }) => (sessionId === 'sess-1' ? [nudge] : []),
    }
    const held = await gateway({ holds }).decide(ORG, call({ sessionId: 'sess-1' }), CALLER)
    expect(held.result).toMatchObject({
      decision: { decision: 'block', reasons: [{ code: 'integrity_hold', source: 'integrity' }] },
      nudges: [nudge],
    })
    const other = await gateway({ holds }).decide(ORG, call({ sessionId: 'sess-2' }), CALLER)
    expect(other.result).toMatchObject({ decision: { decision: 'allow' }, nudges: [] })
  })
})

describe('an escalation', () => {
  beforeEach(() => {
    policy = readyOf(ESCALATE)
  })

  const escalate = async (given: Partial<GatewayCall> = {}) => {
    const { result } = await gateway().decide(ORG, call(given), CALLER)
    expect(result.decision.decision).toBe('escalate')
    return result.escalationId ?? ''
  }
  const answer = async (escalationId: string, outcome: 'approve' | 'reject') => {
    const escalations = approvals()
    const found = await escalations.find(escalationId)
    if (found === undefined) throw new Error('the escalation does not exist')
    const answer = { outcome, note: null, scope: undefined, ttlMinutes: undefined }
    const by = { userId: SYSTEM_ACTOR.userId, role: 'owner' as const }
    return escalations.resolve(found.escalationId, { answer, by, org: ORG }, SYSTEM_ACTOR)
  }
  const retry = (escalationId: string) => decisionOf(call({ escalationId }))

  it('is opened once, with one event, for concurrent calls of the same tool and session', async () => {
    const ids = await Promise.all(Array.from({ length: 8 }, () => escalate({ sessionId: 's' })))
    expect(new Set(ids).size).toBe(1)
    expect(events).toMatchObject([
      {
        type: 'trace.escalation_required',
        orgId: 'org-1',
        accountId: 'ba-1',
        data: {
          trace: {
            trace_id: null,
            agent_id: agentId,
            session_id: 's',
            verification: null,
            escalation: { required: true, reason: 'Refunds are for people', triggered: true },
            policy: { verdict: 'warn', violations: 1, policy_id: 'pol-1', policy_version: 3 },
          },
        },
      },
    ])
    expect(await escalate({ sessionId: 'other' })).not.toBe(ids[0])
  })

  it('that is approved allows exactly one of many concurrent calls', async () => {
    const escalationId = await escalate()
    expect(await retry(escalationId)).toBe('escalate')
    await answer(escalationId, 'approve')
    const decisions = await Promise.all(Array.from({ length: 6 }, () => retry(escalationId)))
    expect(decisions.sort()).toEqual(['allow', 'block', 'block', 'block', 'block', 'block'])
    expect(await retry(escalationId)).toBe('block')
  })

  it('is not used up by a decision that cannot be stored', async () => {
    const escalationId = await escalate()
    await answer(escalationId, 'approve')
    const failing = {
      ...createTestLedger(db, clock),
      record: () => Promise.reject(new Error('disk full')),
    }
    const again = gateway({ ledger: failing }).decide(ORG, call({ escalationId }), CALLER)
    await expect(again).rejects.toThrow('disk full')
    expect(await retry(escalationId)).toBe('allow')
  })

  it('is not used up by a call that needs no approval', async () => {
    const escalationId = await escalate()
    await answer(escalationId, 'approve')
    policy = readyOf(PERMISSIVE)
    expect(await retry(escalationId)).toBe('allow')
    policy = readyOf(ESCALATE)
    expect(await retry(escalationId)).toBe('allow')
  })

  it('blocks the call if it is rejected, expired or approved too long ago', async () => {
    const rejected = await escalate()
    await answer(rejected, 'reject')
    expect(await retry(rejected)).toBe('block')
    const approved = await escalate()
    await answer(approved, 'approve')
    const unanswered = await escalate({ sessionId: 's' })
    clock.advance(15 * MINUTE_MS)
    expect(await retry(approved)).toBe('block')
    clock.advance(45 * MINUTE_MS)
    expect(await retry(unanswered)).toBe('block')
    expect((await approvals().find(unanswered))?.status).toBe('expired')
    expect(await escalate({ sessionId: 's' })).not.toBe(unanswered)
  })

  it('blocks a call of another agent, tool or session or with other arguments', async () => {
    const same = { sessionId: 's', arguments: { amount: 60 } }
    const escalationId = await escalate(same)
    await answer(escalationId, 'approve')
    const decide = async (given: Partial<GatewayCall>) => {
      const named = call({ ...same, escalationId, ...given })
      return (await gateway().decide(ORG, named, CALLER)).result.decision
    }
    for (const other of [
      { agentId: 'agent-other' },
      { tool: 'wire' },
      { sessionId: 'other' },
      { sessionId: undefined },
      { arguments: { amount: 61 } },
      { arguments: undefined },
    ]) {
      const { decision, reasons } = await decide(other)
      expect([decision, reasons[0]?.code]).toEqual(['block', 'approval_mismatch'])
    }
    expect((await decide({})).decision).toBe('allow')
  })

  it('is not found if it is unknown or belongs to another organisation', async () => {
    const escalationId = await escalate()
    const decide = (org: string, given: Partial<GatewayCall>) =>
      codeOf(gateway().decide({ ...ORG, orgId: org }, call(given), CALLER))
    expect(await decide('org-1', { escalationId: 'esc-none' })).toBe('not_found')
    await sql`update escalation set org_id = 'org-2' where escalation_id = ${escalationId}`.execute(
      db,
    )
    expect(await decide('org-1', { escalationId })).toBe('not_found')
  })

  it('that is approved allows an equal call that does not name it, once', async () => {
    const same = { sessionId: 's', arguments: { amount: 60 } }
    const escalationId = await escalate(same)
    await answer(escalationId, 'approve')
    expect(await decisionOf(call({ ...same, arguments: { amount: 61 } }))).toBe('escalate')
    expect(await decisionOf(call({ arguments: { amount: 60 } }))).toBe('escalate')
    const decisions = await Promise.all(
      Array.from({ length: 6 }, () => gateway().decide(ORG, call(same), CALLER)),
    )
    const allowed = decisions.filter(({ result }) => result.decision.decision === 'allow')
    expect(allowed.map(({ result }) => result)).toMatchObject([
      { escalationId, decision: { reasons: [{ code: 'approved' }] } },
    ])
  })

  it('can be resolved once, before it expires, with an audit entry', async () => {
    const escalationId = await escalate()
    const both = [answer(escalationId, 'approve'), answer(escalationId, 'reject')]
    const outcomes = await Promise.allSettled(both)
    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(entries).toMatchObject([
      { action: 'escalation.resolved', target: { type: 'escalation', id: escalationId } },
    ])
    expect(await codeOf(answer(escalationId, 'approve'))).toBe('conflict')
    const late = await escalate({ sessionId: 's' })
    clock.advance(60 * MINUTE_MS)
    expect(await codeOf(answer(late, 'approve'))).toBe('conflict')
  })

  it('is deleted 90 days after it ends, or when its agent is erased', async () => {
    const [first, second] = [await escalate(), await escalate({ sessionId: 's' })]
    const escalations = approvals()
    await escalations.erase(db, toAgentId('agent-other'))
    clock.advance(90 * 24 * 60 * MINUTE_MS)
    await escalations.purge(clock.now())
    expect(await escalations.find(first)).toBeDefined()
    clock.advance(60 * MINUTE_MS + 1)
    await escalations.purge(clock.now())
    expect(await escalations.find(second)).toBeUndefined()
    const third = await escalate()
    await escalations.erase(db, toAgentId(agentId))
    expect(await escalations.find(third)).toBeUndefined()
  })
})
