import { isListed } from '../cards/card.ts'
import { judgeCondition, toNumber } from '../cards/condition.ts'
import type { Severity } from './concern.ts'
import { factsOf } from './concern-subject.ts'
import type { Finding, Notes } from './rule-finding.ts'
import type { Declared } from './rule-input.ts'

/** Rules on what the caller declares: planned actions (R3) and facts (R4). */
export function analyseDeclared(input: Declared, asksFirst: boolean, notes: Notes): void {
  for (const finding of actionFindings(input)) notes.findings.push(finding)
  checkTriggers(input, asksFirst, notes)
  checkAmount(input, asksFirst, notes)
}

function* actionFindings({ card, actions }: Declared): Generator<Finding> {
  const { bounded_actions: bounded, forbidden_actions: forbidden = [] } = card.autonomy_envelope
  for (const [position, action] of actions.entries()) {
    const about = { kind: 'declared_action', name: action } as const
    const found = { rule: 3, subject: action, position, evidence: action, about }
    if (isListed(action, forbidden)) {
      yield {
        ...found,
        category: 'autonomy_violation',
        severity: 'critical',
        description: 'R3: a forbidden action is about to be taken',
        cardField: 'autonomy_envelope.forbidden_actions',
        conscienceValue: 'BOUNDARY:stay_in_bounds',
      }
    } else if (!isListed(action, bounded)) {
      yield {
        ...found,
        category: 'autonomy_violation',
        severity: 'high',
        description: 'R3: an action outside the bounded ones is about to be taken',
        cardField: 'autonomy_envelope.bounded_actions',
      }
    }
  }
}

/** Triggers are evaluated on the context only (spec: evidence §4.4, R4); actions belong to R3. */
function checkTriggers(input: Declared, asksFirst: boolean, notes: Notes): void {
  const triggers = input.card.autonomy_envelope.escalation_triggers ?? []
  for (const [position, { condition, action }] of triggers.entries()) {
    const outcome = judgeCondition(condition, { context: { metadata: input.context } })
    if (outcome === 'unevaluable') {
      notes.considerations.add(`unevaluable condition: ${condition}`)
    } else if (outcome === 'fired' && !asksFirst) {
      if (action === 'log') notes.considerations.add(`log trigger fired: ${condition}`)
      else notes.findings.push(triggerFinding(input, position, { condition, action }))
    }
  }
}

function triggerFinding(
  { context }: Declared,
  position: number,
  { condition, action }: { condition: string; action: string },
): Finding {
  const severity: Severity = action === 'deny' ? 'critical' : 'high'
  return {
    rule: 4,
    subject: `trigger ${condition}`,
    position,
    category: 'autonomy_violation',
    severity,
    description: `R4: a trigger to ${action} fired and the reasoning asks nobody`,
    evidence: condition,
    cardField: 'autonomy_envelope.escalation_triggers',
    about: { kind: 'trigger', name: condition, ...factsOf(context) },
  }
}

function checkAmount({ card, context }: Declared, asksFirst: boolean, notes: Notes): void {
  const limit = card.autonomy_envelope.max_autonomous_value?.amount
  const amount = toNumber(context['amount'])
  if (asksFirst || limit === undefined || amount === undefined || amount <= limit) return
  notes.findings.push({
    rule: 4,
    subject: 'amount',
    position: card.autonomy_envelope.escalation_triggers?.length ?? 0,
    category: 'autonomy_violation',
    severity: 'high',
    description: 'R4: the amount is above the autonomous limit and the reasoning asks nobody',
    evidence: `amount ${amount} above ${limit}`,
    cardField: 'autonomy_envelope.max_autonomous_value',
    about: { kind: 'limit', name: 'amount', ...factsOf(context) },
  })
}
