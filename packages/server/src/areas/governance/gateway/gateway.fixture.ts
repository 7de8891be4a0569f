import { compilePolicy, type PolicyRules, resolvePolicy } from '@touchstone/protocol/policy'
import type { AgentSnapshot, EffectiveRules, Ready } from './agent-snapshot.ts'
import type { ReadyCall } from './decision.ts'

/** Has no rule about any tool. */
export const PERMISSIVE: Partial<PolicyRules> = {}

export const ESCALATE: Partial<PolicyRules> = {
  escalation_triggers: [
    { condition: "tool == 'refund'", action: 'escalate', reason: 'Refunds are for people' },
  ],
}

export const FORBIDDEN: Partial<PolicyRules> = {
  forbidden: [{ pattern: 'refund', reason: 'No refunds', severity: 'critical' }],
}

/** The rules of an agent's document with these parts, in policy mode enforce, which maps `refund`. */
export function effectiveRulesOf(parts: Partial<PolicyRules>): EffectiveRules {
  const agent = {
    meta: { schema_version: '1.0', name: 'test', scope: 'agent' },
    capability_mappings: { shop: { tools: ['refund'], card_actions: ['serve'] } },
    forbidden: [],
    escalation_triggers: [],
    ...parts,
    defaults: { enforcement_mode: 'enforce', ...parts.defaults },
  } as const
  const resolved = resolvePolicy({ agent })
  if (resolved === undefined) throw new Error('a document must resolve to a policy')
  const { policy } = resolved
  const source = { policyId: 'pol-1', version: 3 }
  return {
    policy: {
      resolution: { policy, source, enforcedSince: null, changedAt: new Date(0) },
      compiled: compilePolicy({ policy, card: undefined }),
    },
    card: undefined,
  }
}

/** The same rules, ready to be evaluated for a call of `refund`. */
export function readyOf(parts: Partial<PolicyRules>, given: Partial<Ready['input']> = {}): Ready {
  const { policy } = effectiveRulesOf(parts)
  if (policy === undefined) throw new Error('a document must resolve to a policy')
  return {
    outcome: 'ready',
    callPolicy: {
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
      effective: { policy: undefined, card: undefined },
      readMs: 0,
    },
    hasNudges: false,
    changedTools: new Set(),
    ...given,
  }
}

export function callOf(given: Partial<ReadyCall> = {}): ReadyCall {
  return {
    tool: 'refund',
    hold: false,
    approval: undefined,
    isUnreadable: false,
    rules: { outcome: 'none' },
    ...given,
  }
}
