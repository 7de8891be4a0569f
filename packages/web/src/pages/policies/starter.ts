import type { Owner } from './owner.ts'

/** A valid starter policy in warn mode, which blocks nothing. */
export function starterPolicy({ kind }: Owner): string {
  return `meta:
  schema_version: "1.0"
  name: ${NAMES[kind]}
  scope: ${kind}

# Maps tool name patterns to capabilities and to the card actions they require.
capability_mappings: {}

# Tools that must never be called. high and critical block; low and medium warn.
forbidden:
  - pattern: "*shell*"
    reason: No shell
    severity: critical

# Conditions on a call: warn, escalate to a person, or deny.
escalation_triggers: []

# With schema_version "1.1": limits per session, minute, hour or day, such as
#   - {name: refunds, tools: [refund], max: 3, per: minute, reason: Few refunds at once}
# limits: []
# and flows, after whose from tools the to tools of a session need approval.
# flows: []
# and budgets of tokens and turns at model providers, such as
#   - {name: daily, models: ["*"], max_tokens: 1000000, per: day}
# model_limits: []

# Defaults. Switch to enforce once the warnings look right.
defaults:
  enforcement_mode: warn
`
}

const NAMES: Record<Owner['kind'], string> = {
  org: 'Organisation policy',
  agent: 'Agent policy',
  team: 'Team policy',
}
