import type { Answer, Item } from '@touchstone/sdk'
import { jsonText } from '../json-text.ts'
import type { Paint } from '../paint.ts'
import { fields, printable } from '../table.ts'

type Resolved = Answer<'POST', '/v1/escalations/{escalation_id}/resolve'>
/** The arguments are part of the details, and not of the answer to a resolution. */
export type Approval = (Resolved | Item<'/v1/escalations'>) & {
  arguments?: Answer<'GET', '/v1/escalations/{escalation_id}'>['arguments']
}

/**
 * The call as a person has to see it. Arguments and justification are texts of the agent: both are
 * indented, so that they cannot look like a field, and printed without control characters.
 */
export function describeApproval(one: Approval, paint: Paint): string {
  const known = (name: string, value: string | null): (readonly [string, string])[] =>
    value === null ? [] : [[name, printable(value)]]
  return [
    fields([
      ['id', one.escalation_id],
      ['status', paintStatus(one.status, paint)],
      ['agent', printable(one.agent_id)],
      ['tool', printable(one.tool)],
      ['reason', printable(one.reason)],
      ...known('condition', one.rule?.condition ?? null),
      ...known('session', one.session_id),
      ...known('transaction', one.transaction_id),
      ...known('decision', one.decision_id),
      ...known('asked by', one.requested_by),
      ['created', one.created_at],
      ['expires', one.expires_at],
      ['approvals', `${one.approvals.length} of ${one.approvals_required}`],
      ...known('resolved by', one.resolved_by),
      ...known('resolved', one.resolved_at),
      ...known('note', one.note),
      ...known('scope', one.scope),
      ...known('valid until', one.valid_until),
      ...known('used', one.used_at),
      ['page', one.approve_url],
    ]),
    ...section('arguments', argumentsOf(one)),
    ...section("justification, in the agent's own words", justificationOf(one)),
  ].join('\n')
}

function argumentsOf(one: Approval): string[] {
  const { arguments: args, arguments_hash: hash } = one
  if (args === undefined || hash === null) return []
  if (args === null) {
    const reason = one.arguments_stored
      ? 'not shown to this key; sign in with --email'
      : 'not stored'
    return [`(${reason}; SHA-256 ${hash})`]
  }
  if (typeof args !== 'string') return jsonText(args, 2).split('\n')
  return [printable(args), '(only the beginning is stored)']
}

function justificationOf({ justification }: Approval): string[] {
  return justification === null ? [] : justification.split(/\r\n?|\n/).map(printable)
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${line}`)]
}

const STYLES = {
  pending: 'warning',
  approved: 'good',
  rejected: 'bad',
  expired: 'faint',
} as const

export function paintStatus(status: Approval['status'], paint: Paint): string {
  return paint[STYLES[status]](status)
}
