import type { Decision } from './queries.ts'

type Reason = Pick<Decision['reasons'][number], 'code' | 'severity' | 'source'>

/** The fields of a decision that tell which of its reasons decided. */
export type Decided<Of extends Reason> = Pick<Decision, 'decision'> & {
  /** The policy mode: only `enforce` lets a rule of the policy do more than warn. */
  enforcement_mode: Decision['enforcement_mode']
  reasons: readonly Of[]
}

/**
 * The reason whose effect is the decision, the first of several; the first reason if none fits. The
 * record lists all findings and the worst one decides (spec: governance §4), so the first one in the
 * list need not be it.
 */
export function decidingReason<Of extends Reason>(decided: Decided<Of>): Of | undefined {
  return decidingFirst(decided)[0]
}

/** All reasons with the deciding one first and the others in their order. */
export function decidingFirst<Of extends Reason>(decided: Decided<Of>): readonly Of[] {
  const { decision, enforcement_mode: mode, reasons } = decided
  const fits = (reason: Reason) => effectsOf(reason, mode).includes(decision)
  const deciding = reasons.find(fits)
  if (deciding === undefined) return reasons
  return [deciding, ...reasons.filter((reason) => reason !== deciding)]
}

type Effect = Decision['decision']

const EFFECTS: Readonly<Record<string, readonly Effect[]>> = {
  agent_paused: ['block'],
  agent_killed: ['block'],
  integrity_hold: ['block'],
  integrity_notice: ['warn'],
  transaction: ['block'],
  approval_mismatch: ['block'],
  approved: ['allow'],
  evaluation_error: ['block', 'warn'],
  unreadable_arguments: ['block', 'warn'],
}

/** The decisions that a reason can have led to, as far as its record tells. */
function effectsOf(reason: Reason, mode: Decision['enforcement_mode']): readonly Effect[] {
  const known = EFFECTS[reason.code]
  if (known !== undefined) return known
  return mode === 'enforce' ? enforcedEffects(reason) : ['warn']
}

function enforcedEffects({ code, severity }: Reason): readonly Effect[] {
  const isGrave = severity === 'high' || severity === 'critical'
  switch (code) {
    case 'forbidden':
      return isGrave ? ['block'] : ['warn']
    case 'unmapped':
      return severity === null ? ['warn'] : ['block']
    case 'limit':
    case 'flow':
    case 'loop':
      // Without severity it is a warning; otherwise one that blocks is high, one that escalates medium.
      if (severity === null) return ['warn']
      return isGrave ? ['block'] : ['escalate']
    case 'tool_changed':
      return severity === null ? ['warn'] : ['block', 'escalate']
    case 'escalation':
      return ['escalate', 'block']
    default:
      return ['warn']
  }
}
