import type { Answer } from '@touchstone/sdk'
import { fateInWords } from '../decisions/decision-text.ts'

type Decision = Answer<'GET', '/v1/decisions'>['decisions'][number]

export function describeDecisions({ decisions, next_cursor }: Answer<'GET', '/v1/decisions'>) {
  if (decisions.length === 0) return 'No decisions found.'
  const more = next_cursor === null ? [] : ['There are more: pass next_cursor as cursor.']
  return [...decisions.map((one) => `- ${lineOf(one)}`), ...more].join('\n')
}

export function describeDecision(one: Decision): string {
  return [
    lineOf(one),
    ...one.reasons.map(({ code, message }) => `- ${code}: ${message}`),
    `Outcome: ${fateInWords(one)}.`,
  ].join('\n')
}

function lineOf({ decided_at, decision, agent_id, tool, decision_id, reasons }: Decision): string {
  const reason = reasons[0] === undefined ? '' : `: ${reasons[0].message}`
  return `${decided_at} ${decision} ${tool} of ${agent_id} (${decision_id})${reason}`
}

export function describeApprovals({ escalations, total }: Answer<'GET', '/v1/escalations'>) {
  const lines = escalations.map(
    ({ escalation_id, status, agent_id, tool, reason, expires_at }) =>
      `- ${escalation_id} ${status}: ${tool} of ${agent_id}, ${reason}, expires ${expires_at}`,
  )
  return [`${total} found.`, ...lines].join('\n')
}
