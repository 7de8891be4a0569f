import { type CallFate, callFate } from '@touchstone/protocol/policy'
import type { Answer } from '@touchstone/sdk'
import type { Paint } from '../paint.ts'
import { fields, printable, table } from '../table.ts'

export type Decision = Answer<'GET', '/v1/decisions'>['decisions'][number]

const HEAD = ['ID', 'TIME', 'DECISION', 'AGENT', 'TOOL', 'OUTCOME', 'REASON']

export function decisionTable(decisions: readonly Decision[], paint: Paint): string {
  const rows = decisions.map((one) => [
    one.decision_id,
    one.decided_at,
    paintDecision(one.decision, paint),
    printable(one.agent_id),
    printable(one.tool),
    fateOf(one).replace('unknown', '-'),
    printable(one.reasons[0]?.message ?? ''),
  ])
  return table(HEAD, rows)
}

/** Every text of others is made printable, because tools and reasons may contain anything. */
export function describeDecision(one: Decision, paint: Paint): string {
  const known = (name: string, value: string | null): (readonly [string, string])[] =>
    value === null ? [] : [[name, printable(value)]]
  const reasons = one.reasons.map(
    ({ code, source, severity, message }) =>
      `  ${paint.strong(printable(message))} (${code}, ${source}${severity === null ? '' : `, ${severity}`})`,
  )
  return [
    fields([
      ['id', one.decision_id],
      ['decision', paintDecision(one.decision, paint)],
      ['agent', printable(one.agent_id)],
      ['tool', printable(one.tool)],
      ...known('arguments', one.arguments_hash && `SHA-256 ${one.arguments_hash}`),
      ...known('session', one.session_id),
      ...known('call', one.call_id),
      ['decided', `${one.decided_at}, in ${one.duration_ms} ms`],
      ...known('policy', policyOf(one)),
      ...known('transaction', one.transaction_id),
      ...known('approval', one.escalation_id),
      ['client', printable([one.source, one.client].filter(Boolean).join(', '))],
      ['enforced', one.enforced ? 'yes' : 'no, the client records and does not stop calls'],
      ['outcome', outcomeOf(one)],
    ]),
    ...(reasons.length === 0 ? [] : ['reasons', ...reasons]),
  ].join('\n')
}

function policyOf({ policy_id, policy_version, enforcement_mode, verdict }: Decision) {
  if (policy_id === null) return null
  return [`${policy_id} version ${policy_version}`, enforcement_mode, verdict]
    .filter((part) => part !== null)
    .join(', ')
}

function fateOf({ decision, enforced, outcome }: Decision): CallFate {
  return callFate({ decision, enforced, outcome: outcome?.status ?? null })
}

/** The outcome in words, also if it was not reported. */
export function fateInWords(one: Decision): string {
  const fate = fateOf(one)
  if (fate === 'stopped') return 'stopped before it ran'
  if (fate === 'held') return 'held for approval'
  return fate === 'unknown' ? 'not reported' : fate
}

function outcomeOf(one: Decision): string {
  const { outcome } = one
  if (outcome === null) return fateInWords(one)
  const { status, reported_at: at, duration_ms: ms, error, bypassed } = outcome
  return [
    bypassed ? `${status}, although it was refused` : status,
    `reported ${at}`,
    ...(ms === null ? [] : [`took ${ms} ms`]),
    ...(error === null ? [] : [printable(error)]),
  ].join(', ')
}

const STYLES = { allow: 'good', warn: 'warning', escalate: 'warning', block: 'bad' } as const

export function paintDecision(decision: string, paint: Paint): string {
  const style = Object.entries(STYLES).find(([name]) => name === decision)?.[1]
  return style === undefined ? printable(decision) : paint[style](decision)
}
