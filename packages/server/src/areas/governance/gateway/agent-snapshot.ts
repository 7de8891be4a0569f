import type { Contained, Rules } from './ports.ts'

/**
 * Everything a decision needs to know of an agent, whatever it calls. Never changed: a change makes
 * a new one. The call itself names the rest: transaction, escalation and session.
 */
export type AgentSnapshot = Readonly<{
  agentId: string
  orgId: string
  isArchived: boolean
  mode: 'observe' | 'nudge' | 'enforce'
  /** Undefined while the agent is active. */
  contained: Contained | undefined
  rules: Rules
  /** Whether any nudge waits to be delivered. */
  hasNudges: boolean
}>
