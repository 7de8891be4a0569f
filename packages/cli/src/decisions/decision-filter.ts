import type { Query } from '@touchstone/sdk'
import type { Flags, FlagValues } from '../command.ts'

export type DecisionQuery = NonNullable<Query<'GET', '/v1/decisions'>>

export const DECISIONS = ['allow', 'warn', 'escalate', 'block'] as const
const SOURCES = ['api', 'sdk', 'mcp_guard', 'hook', 'model_gateway'] as const
const OUTCOMES = ['executed', 'failed', 'not_executed', 'none', 'bypassed'] as const

/** The filters that decisions of the live stream can be matched with, too. */
export const LIVE_FILTERS = {
  agent: { type: 'string', value: 'ID', summary: 'only decisions about this agent' },
  session: { type: 'string', value: 'ID', summary: 'only decisions of this session' },
  tool: {
    type: 'string',
    value: 'NAME',
    summary: 'only decisions about this tool; NAME* for all tools that start with NAME',
  },
  decision: {
    type: 'string',
    multiple: true,
    choices: DECISIONS,
    summary: 'only this decision; may be repeated',
  },
} as const satisfies Flags

export const FILTERS = {
  ...LIVE_FILTERS,
  source: { type: 'string', choices: SOURCES, summary: 'only decisions for this kind of client' },
  outcome: {
    type: 'string',
    choices: OUTCOMES,
    summary: 'only calls with this outcome; bypassed: made although they were refused',
  },
  policy: { type: 'string', value: 'ID', summary: 'only decisions by this policy' },
  approval: { type: 'string', value: 'ID', summary: 'only decisions with this approval' },
  call: { type: 'string', value: 'ID', summary: "only decisions with this caller's call id" },
  from: { type: 'string', value: 'TIME', summary: 'decisions since TIME, such as 2026-03-01' },
  to: { type: 'string', value: 'TIME', summary: 'decisions before TIME' },
} as const satisfies Flags

/** The service validates times and ids. */
export function queryOf(
  flags: FlagValues<typeof FILTERS>,
  defaultAgent: string | undefined,
): DecisionQuery {
  return {
    agent_id: flags.agent ?? defaultAgent,
    session_id: flags.session,
    tool: flags.tool,
    decision: flags.decision && [...flags.decision],
    source: flags.source,
    outcome: flags.outcome,
    policy_id: flags.policy,
    escalation_id: flags.approval,
    call_id: flags.call,
    from: toInstant(flags.from),
    to: toInstant(flags.to),
  }
}

/** The service takes a time of day; a date alone is its midnight in UTC. */
export function toInstant(text: string | undefined): string | undefined {
  return text !== undefined && /^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text
}
