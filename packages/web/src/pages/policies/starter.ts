import type { Owner } from './owner.ts'

/** Something that holds and stops nothing, to begin with. */
export function starterPolicy({ kind }: Owner): string {
  return `meta:
  schema_version: "1.0"
  name: ${NAMES[kind]}
  scope: ${kind}

# What tools are for: patterns over tool names, and the card's actions they need.
capability_mappings: {}

# What must never be called. high and critical block, low and medium warn.
forbidden:
  - pattern: "*shell*"
    reason: No shell
    severity: critical

# What depends on the call: warn, escalate to a person, or deny.
escalation_triggers: []

# What holds where nothing above speaks. Switch to enforce once the warnings look right.
defaults:
  enforcement_mode: warn
`
}

const NAMES: Record<Owner['kind'], string> = {
  org: 'House rules',
  agent: 'Agent rules',
  team: 'Team rules',
}
