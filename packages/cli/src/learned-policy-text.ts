import type { Answer } from '@touchstone/sdk'
import { Document, isNode } from 'yaml'
import { printable } from './table.ts'

export type Learned = Answer<'POST', '/v1/policies/learn'>

/** The policy as YAML, with what was seen as comments; undefined without a policy. */
export function toCommentedYaml(learned: Learned): string | undefined {
  if (learned.policy === null) return undefined
  const document = new Document(learned.policy)
  document.commentBefore = comment([
    `Learned from ${learned.decisions_counted} decisions and ${learned.traces_counted} traces of ${learned.agent_id},`,
    `${learned.from} to ${learned.to}. Read it before you put it in force.`,
  ])
  for (const rule of learned.rules) {
    const path = pathOf(rule.path)
    const node = document.getIn(path, true)
    if (!isNode(node)) continue
    const asked = rule.effect === 'escalate' ? ', asks a person' : ''
    node.comment = comment([`${countsOf(rule)}, last ${rule.last_seen.slice(0, 10)}${asked}`])
  }
  const stopped = describeStopped(learned)
  if (stopped.length > 0) document.comment = comment(stopped)
  return document.toString({ lineWidth: 0 })
}

/** RFC 6901, with the places in lists as numbers. */
function pathOf(pointer: string): (string | number)[] {
  const parts = pointer.split('/').slice(1)
  return parts.map((part) => (/^\d+$/.test(part) ? Number(part) : part))
}

function comment(lines: readonly string[]): string {
  return lines.map((line) => ` ${printable(line)}`).join('\n')
}

export function describeStopped(learned: Learned): string[] {
  const { would_have_stopped: stopped, would_have_stopped_total: total } = learned
  if (stopped.length === 0) return []
  const more = total - stopped.length
  return [
    'It would have stopped:',
    ...stopped.map((one) => {
      const found = Object.entries(one.findings).map(([name, count]) => `${count} ${toWords(name)}`)
      const verb = one.effect === 'block' ? 'blocked' : 'asked about'
      return `  ${one.tool}: ${countsOf(one)} (${found.join(', ')}), ${verb}: ${one.reasons.join('; ')}`
    }),
    ...(more > 0 ? [`  and ${more} more tools`] : []),
  ]
}

export function describeIgnored({ ignored }: Learned): string[] {
  const counts = Object.entries(ignored).map(([name, count]) => `${count} ${toWords(name)}`)
  return counts.length === 0 ? [] : [`Calls that were not learned from: ${counts.join(', ')}.`]
}

function toWords(name: string): string {
  return name.replaceAll('_', ' ')
}

function countsOf({ decisions, traces }: { decisions: number; traces: number }): string {
  return [
    ...(decisions > 0 ? [`${decisions} ${decisions === 1 ? 'decision' : 'decisions'}`] : []),
    ...(traces > 0 ? [`${traces} ${traces === 1 ? 'trace' : 'traces'}`] : []),
  ].join(', ')
}
