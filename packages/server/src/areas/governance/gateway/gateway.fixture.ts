import { compilePolicy, type PolicyRules, resolvePolicy } from '@touchstone/protocol/policy'
import type { AgentSnapshot, Ready, Standing } from './agent-snapshot.ts'
import type { ReadyCall } from './decision.ts'
import type { NewEscalation } from './escalation.ts'

/** Says nothing of any tool. */
export const PERMISSIVE: Partial<PolicyRules> = {}

export const ESCALATE: Partial<PolicyRules> = {
  escalation_triggers: [
    { condition: "tool == 'refund'", action: 'escalate', reason: 'Refunds are for people' },
  ],
}

export const FORBIDDEN: Partial<PolicyRules> = {
  forbidden: [{ pattern: 'refund', reason: 'No refunds', severity: 'critical' }],
}

/** An agent document of these parts, in mode enforce, that maps the tool `refund`. */
export function standingOf(parts: Partial<PolicyRules>): Standing {
  const agent = {
    meta: { schema_version: '1.0', name: 'test', scope: 'agent' },
    capability_mappings: { shop: { tools: ['refund'], card_actions: ['serve'] } },
    forbidden: [],
    escalation_triggers: [],
    ...parts,
    defaults: { enforcement_mode: 'enforce', ...parts.defaults },
  } as const
  const resolved = resolvePolicy({ agent })
  if (resolved === undefined) throw new Error('a document resolves to a policy')
  const { policy } = resolved
  const source = { policyId: 'pol-1', version: 3 }
  return {
    policy: {
      resolution: { policy, source, enforcedSince: null },
      compiled: compilePolicy({ policy, card: undefined }),
    },
    card: undefined,
  }
}

/** The same, ready to be evaluated for a call of `refund`. */
export function readyOf(parts: Partial<PolicyRules>, given: Partial<Ready['input']> = {}): Ready {
  const { policy } = standingOf(parts)
  if (policy === undefined) throw new Error('a document resolves to a policy')
  return {
    outcome: 'ready',
    holding: {
      compiled: policy.compiled,
      enforcedSinceMs: undefined,
      policyId: 'pol-1',
      policyVersion: 3,
      transaction: undefined,
    },
    input: { tools: ['refund'], context: 'gateway', firstSeenMs: new Map(), ...given },
    startedMs: 0,
  }
}

export function snapshotOf(given: Partial<AgentSnapshot> = {}): AgentSnapshot {
  return {
    agentId: 'agent-1',
    orgId: 'org-1',
    isArchived: false,
    mode: 'observe',
    contained: undefined,
    rules: {
      readable: true,
      standing: { policy: undefined, card: undefined },
      readMs: 0,
    },
    hasNudges: false,
    ...given,
  }
}

export function callOf(given: Partial<ReadyCall> = {}): ReadyCall {
  return {
    tool: 'refund',
    hold: false,
    escalation: undefined,
    rules: { outcome: 'none' },
    ...given,
  }
}

export function asked(escalationId: string, given: Partial<NewEscalation> = {}): NewEscalation {
  return {
    escalationId,
    orgId: 'org-1',
    agentId: 'agent-1',
    tool: 'refund',
    sessionId: null,
    transactionId: null,
    reason: 'Refunds are for people',
    ...given,
  }
}
