/** A field of a policy, as the editor explains and completes it (spec: governance §1.1). */
export type PolicyField = {
  help: string
  /** The values that can be chosen. */
  values?: readonly string[]
  fields?: PolicyFields
  /** The fields of each entry, whose names are free. */
  entries?: PolicyFields
}

export type PolicyFields = Readonly<Record<string, PolicyField>>

const SEVERITY: PolicyField = {
  help: 'high and critical block in mode enforce; low and medium warn.',
  values: ['low', 'medium', 'high', 'critical'],
}
const REASON: PolicyField = { help: 'Shown to the agent, to approvers and in the decision log.' }
const RULE_NAME: PolicyField = {
  help: 'A unique name: letters, digits, dots, dashes, underscores.',
}
const TOOLS: PolicyField = { help: 'Patterns of tool names; * stands for any characters.' }
const APPROVAL: PolicyField = {
  help: 'Who may approve an escalated call, and what an approval covers. Needs schema_version 1.1.',
  fields: {
    required: { help: 'How many people must approve, 1 to 5.' },
    roles: {
      help: 'The roles that may approve.',
      values: ['owner', 'admin', 'auditor', 'member'],
    },
    scopes: {
      help: 'What an approval may cover: one call with these arguments, or the tool for the session.',
      values: ['call', 'session'],
    },
    expires_minutes: { help: 'How long a call waits for an answer, 5 to 1440 minutes.' },
    local: {
      help: 'Whether the user of a coding agent may answer in the client.',
      values: ['true', 'false'],
    },
  },
}

export const POLICY_FIELDS: PolicyFields = {
  meta: {
    help: 'The name of the policy and what it applies to.',
    fields: {
      schema_version: {
        help: '"1.1" for limits, flows, budgets and approvals; else "1.0".',
        values: ['"1.0"', '"1.1"'],
      },
      name: { help: 'A short name for people.' },
      description: { help: 'What the policy is for.' },
      scope: {
        help: 'Where it is stored: the organisation, one agent, or a team.',
        values: ['org', 'agent', 'team'],
      },
    },
  },
  capability_mappings: {
    help: 'Capabilities by name: the tools that belong to them, and the card actions that they require.',
    entries: {
      description: { help: 'What the capability is for.' },
      tools: TOOLS,
      card_actions: { help: 'Actions of the alignment card that allow these tools.' },
    },
  },
  forbidden: {
    help: 'Tools that must not be called.',
    fields: {
      pattern: { help: 'A pattern of tool names; * stands for any characters.' },
      reason: REASON,
      severity: SEVERITY,
    },
  },
  escalation_triggers: {
    help: 'Conditions on a call: warn, ask a person, or deny.',
    fields: {
      condition: {
        help: "For example tool == 'refund' and args.amount > 200. Names: tool, server, capability, args, context, hour, weekday and others.",
      },
      action: {
        help: 'What happens if the condition holds.',
        values: ['warn', 'escalate', 'deny'],
      },
      reason: REASON,
      severity: SEVERITY,
      approval: APPROVAL,
    },
  },
  limits: {
    help: 'How many calls are allowed per session or time. Needs schema_version 1.1.',
    fields: {
      name: RULE_NAME,
      tools: TOOLS,
      max: { help: 'How many calls are allowed.' },
      per: {
        help: 'What is counted: a session, or a minute, hour or day in UTC.',
        values: ['session', 'minute', 'hour', 'day'],
      },
      action: {
        help: 'What happens to further calls. Default: block.',
        values: ['block', 'escalate', 'warn'],
      },
      reason: REASON,
      approval: APPROVAL,
    },
  },
  flows: {
    help: 'After a call to a tool in from is allowed, calls to tools in to are stopped in the session. Needs schema_version 1.1.',
    fields: {
      name: RULE_NAME,
      from: TOOLS,
      to: TOOLS,
      action: {
        help: 'What happens to calls to tools in to. Default: escalate.',
        values: ['escalate', 'block'],
      },
      reason: REASON,
      approval: APPROVAL,
    },
  },
  model_limits: {
    help: 'Budgets of tokens and turns at model providers. Needs schema_version 1.1.',
    fields: {
      name: RULE_NAME,
      models: { help: 'Patterns of model names.' },
      max_tokens: { help: 'How many tokens are allowed.' },
      max_turns: { help: 'How many turns are allowed.' },
      per: { help: 'The time that is counted, in UTC.', values: ['hour', 'day', 'month'] },
      action: { help: 'What happens to further turns.', values: ['block', 'warn'] },
    },
  },
  defaults: {
    help: 'What applies where no rule does.',
    fields: {
      enforcement_mode: {
        help: 'enforce stops calls, warn only says what it would stop, off does nothing. Default: warn.',
        values: ['off', 'warn', 'enforce'],
      },
      unmapped_tool_action: {
        help: 'What happens to tools that no capability maps. Default: warn.',
        values: ['allow', 'warn', 'block'],
      },
      unmapped_severity: {
        help: 'The severity of such calls. Default: medium.',
        values: ['low', 'medium', 'high', 'critical'],
      },
      grace_period_hours: {
        help: 'Unmapped tools are not blocked in their first hours. Default: 24; 0 blocks at once.',
      },
      fail_open: {
        help: 'Whether calls are allowed if the policy cannot be evaluated. Default: false.',
        values: ['true', 'false'],
      },
      approval: APPROVAL,
      max_identical_calls: {
        help: 'How many identical calls a session may make before a person is asked. Needs schema_version 1.1.',
      },
      changed_tool_action: {
        help: 'What happens to calls of MCP tools whose definition changed. Needs schema_version 1.1.',
        values: ['warn', 'escalate', 'block'],
      },
    },
  },
}
