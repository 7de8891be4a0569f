import { bytesToHex } from '@touchstone/protocol/base'
import { ed25519PublicKey, hashCanonical, keyId, signEd25519 } from '@touchstone/protocol/crypto'
import { verifyDecisionReceipt } from '@touchstone/protocol/policy'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type TestClock, testClock } from '#harness/clock.ts'
import { testDatabase } from '#harness/database.ts'
import { type AuditEntry, SYSTEM_ACTOR } from '../../../audit.ts'
import type { Db } from '../../../kernel/db.ts'
import type { NewEvent } from '../../../kernel/events.ts'
import { toAgentId } from '../../../kernel/ids.ts'
import { Problem } from '../../../kernel/problem.ts'
import type { Prepared } from './agent-snapshot.ts'
import type { GatewayCall } from './call.ts'
import { ESCALATE, FORBIDDEN, PERMISSIVE, readyOf } from './gateway.fixture.ts'
import type { Containment, Evaluations, Holds } from './ports.ts'
import { createGatewayService, type GatewayDeps } from './service.ts'

const SEED = new Uint8Array(32).fill(7)
const PUBLIC_KEY = ed25519PublicKey(SEED)
const KEY = { key_id: keyId(PUBLIC_KEY), public_key: bytesToHex(PUBLIC_KEY) }
const ORG = { orgId: 'org-1', accountId: 'ba-1' }
const MINUTE_MS = 60_000

let db: Db
let clock: TestClock
let count = 0
let agentId = ''
const events: NewEvent[] = []
const entries: AuditEntry[] = []
const told: object[] = []
let asks: Parameters<Evaluations['prepare']>[1][] = []
let records: Parameters<Evaluations['record']>[0][] = []
let failures: unknown[] = []
let policy: Prepared = { outcome: 'none' }
let recorded = async (): Promise<void> => undefined
let elapsed = 0

beforeAll(async () => {
  db = (await testDatabase()).db
})

beforeEach(() => {
  count += 1
  agentId = `agent-${count}`
  clock = testClock()
  events.length = 0
  entries.length = 0
  told.length = 0
  asks = []
  records = []
  failures = []
  policy = { outcome: 'none' }
  recorded = async () => undefined
})

function gateway(given: Partial<GatewayDeps> = {}) {
  return createGatewayService({
    db,
    clock,
    audit: { record: async (_tx, entry) => void entries.push(entry) },
    audience: { tell: (_orgId, say) => void told.push(say()) },
    events: {
      emit: async (_tx, event) => void events.push(event),
      emitAll: async (_tx, all) => void events.push(...all),
      purge: async () => 0,
    },
    agents: {
      findKnown: async (id) =>
        id.startsWith('agent-')
          ? { orgId: ORG.orgId, status: 'active', enforcementMode: 'enforce' }
          : undefined,
      onKnownChange: () => undefined,
      hear: async () => undefined,
    },
    policies: { onStandingChange: () => undefined, bytesOf: () => 0 },
    evaluations: {
      rulesOf: async () => RULES,
      async prepare(_rules, ask) {
        asks.push(ask)
        return policy
      },
      record(call) {
        records.push(call)
        return { recorded }
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
    signer: async () => ({
      keyId: KEY.key_id,
      signAside: async (payload) => Buffer.from(signEd25519(payload, SEED)),
    }),
    elapsedMs: () => {
      elapsed += 1.5
      return elapsed
    },
    ...given,
  })
}

const RULES = {
  readable: true,
  standing: { policy: undefined, card: undefined },
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
    sessionId: undefined,
    transactionId: undefined,
    escalationId: undefined,
    ...given,
  }
}

async function decisionOf(asked: GatewayCall): Promise<string> {
  return (await gateway().decide(ORG, asked)).judged.decision.decision
}

async function codeOf(work: Promise<unknown>): Promise<unknown> {
  const err = await work.catch((thrown: unknown) => thrown)
  return err instanceof Problem ? err.code : err
}

describe('a decision', () => {
  it('asks the policy about this call, and hands on the arguments to nobody else', async () => {
    const args = { amount: 20, card: '4111111111111111' }
    const decided = await gateway().decide(ORG, call({ arguments: args, transactionId: 'txn-1' }))
    expect(asks).toMatchObject([
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
      judged: {
        decision: { decision: 'allow' },
        facts: { verdict: null, mode: 'warn' },
        transactionId: 'txn-1',
        escalationId: null,
      },
    })
    expect(JSON.stringify(decided)).not.toContain('4111')
  })

  it('comes with a receipt that anybody can hold against the published keys', async () => {
    policy = readyOf(FORBIDDEN)
    const decided = await gateway().decide(ORG, call({ arguments: { a: 1 } }))
    expect(verifyDecisionReceipt(decided.receipt, [KEY])).toEqual({
      valid: true,
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

  it('that refuses is not told before it is stored', async () => {
    const steps: string[] = []
    recorded = async () => {
      await new Promise(setImmediate)
      steps.push('stored')
    }
    policy = readyOf(FORBIDDEN)
    await gateway().decide(ORG, call())
    expect(steps).toEqual(['stored'])
    recorded = () => Promise.reject(new Error('no room'))
    policy = readyOf(ESCALATE)
    await expect(gateway().decide(ORG, call())).rejects.toThrow('no room')
    expect(events).toEqual([])
  })

  it('that lets a call through waits for nothing, and survives that nothing was stored', async () => {
    policy = readyOf(PERMISSIVE)
    recorded = () => new Promise(() => undefined)
    expect(await decisionOf(call())).toBe('allow')
    recorded = () => Promise.reject(new Error('no room'))
    expect(await decisionOf(call())).toBe('allow')
  })

  it('hands its evaluation on to be recorded, once, and a failure to the operator', async () => {
    policy = readyOf(ESCALATE)
    await gateway().decide(ORG, call({ sessionId: 'sess-1' }))
    expect(records).toMatchObject([
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
    expect(records).toHaveLength(1)
    expect(failures).toEqual(['down'])
  })

  it('is not made of an unknown, a foreign or an archived agent, or an unknown transaction', async () => {
    const decide = (orgId: string, given: Partial<GatewayCall>) =>
      codeOf(gateway().decide({ ...ORG, orgId }, call(given)))
    expect(await decide('org-1', { agentId: 'nobody' })).toBe('agent_not_found')
    expect(await decide('org-2', {})).toBe('agent_not_found')
    expect(await decide('org-1', { transactionId: 'txn-2' })).toBe('not_found')
    const known = { orgId: ORG.orgId, status: 'archived', enforcementMode: 'observe' } as const
    const agents = {
      findKnown: async () => known,
      onKnownChange: () => undefined,
      hear: async () => undefined,
    }
    expect(await codeOf(gateway({ agents }).decide(ORG, call()))).toBe('conflict')
    expect(asks).toEqual([])
  })
})

describe('an agent that is contained', () => {
  it('is refused whatever else holds, and nothing is asked', async () => {
    const containedAt = new Date('2026-02-26T10:00:00.000Z')
    const containment = containedAs({ status: 'paused', containedAt })
    const decided = await gateway({ containment }).decide(ORG, call({ transactionId: 'txn-1' }))
    expect(decided.contained).toEqual({ status: 'paused', containedAt })
    expect(decided.judged.decision).toMatchObject({
      decision: 'block',
      reasons: [{ code: 'agent_paused', source: 'containment' }],
    })
    expect(verifyDecisionReceipt(decided.receipt, [KEY]).valid).toBe(true)
    expect(asks).toEqual([])
  })

  it('is asked about as any other once it is active again', async () => {
    const containment = containedAs({ status: 'active' })
    const decided = await gateway({ containment }).decide(ORG, call())
    expect(decided.contained).toBeUndefined()
    expect(decided.judged.decision.decision).toBe('allow')
  })
})

describe('an integrity hold', () => {
  it('blocks an agent in mode enforce and tells it why', async () => {
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
    const held = await gateway({ holds }).decide(ORG, call({ sessionId: 'sess-1' }))
    expect(held.judged).toMatchObject({
      decision: { decision: 'block', reasons: [{ code: 'integrity_hold', source: 'integrity' }] },
      nudges: [nudge],
    })
    const other = await gateway({ holds }).decide(ORG, call({ sessionId: 'sess-2' }))
    expect(other.judged).toMatchObject({ decision: { decision: 'allow' }, nudges: [] })
  })
})

describe('an escalation', () => {
  beforeEach(() => {
    policy = readyOf(ESCALATE)
  })

  const escalate = async (given: Partial<GatewayCall> = {}) => {
    const { judged } = await gateway().decide(ORG, call(given))
    expect(judged.decision.decision).toBe('escalate')
    return judged.escalationId ?? ''
  }
  const answer = async (escalationId: string, outcome: 'approve' | 'reject') => {
    const { escalations } = gateway()
    const found = await escalations.find(escalationId)
    if (found === undefined) throw new Error('no such escalation')
    return escalations.resolve(found, { outcome, note: null }, SYSTEM_ACTOR)
  }
  const retry = (escalationId: string) => decisionOf(call({ escalationId }))

  it('is asked once for the same, however many calls come at once, and told once', async () => {
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

  it('that is approved lets exactly one of many calls through', async () => {
    const escalationId = await escalate()
    expect(await retry(escalationId)).toBe('escalate')
    await answer(escalationId, 'approve')
    const decisions = await Promise.all(Array.from({ length: 6 }, () => retry(escalationId)))
    expect(decisions.sort()).toEqual(['block', 'block', 'block', 'block', 'block', 'warn'])
    expect(await retry(escalationId)).toBe('block')
  })

  it('is kept where the call needs no approval', async () => {
    const escalationId = await escalate()
    await answer(escalationId, 'approve')
    policy = readyOf(PERMISSIVE)
    expect(await retry(escalationId)).toBe('allow')
    policy = readyOf(ESCALATE)
    expect(await retry(escalationId)).toBe('warn')
  })

  it('blocks once it is rejected, expired or approved too long ago', async () => {
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
    expect((await gateway().escalations.find(unanswered))?.status).toBe('expired')
    expect(await escalate({ sessionId: 's' })).not.toBe(unanswered)
  })

  it('of another agent, tool or organisation is none', async () => {
    const escalationId = await escalate()
    const decide = (given: Partial<GatewayCall>) =>
      codeOf(gateway().decide(ORG, call({ escalationId, ...given })))
    expect(await decide({ agentId: 'agent-other' })).toBe('invalid_request')
    expect(await decide({ tool: 'wire' })).toBe('invalid_request')
    expect(await decide({ escalationId: 'esc-none' })).toBe('invalid_request')
  })

  it('is answered once, in time, and the answer is recorded', async () => {
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

  it('is kept for 90 days after its end, or until its agent is erased', async () => {
    const [first, second] = [await escalate(), await escalate({ sessionId: 's' })]
    const { escalations } = gateway()
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
