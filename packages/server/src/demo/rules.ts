/** The conscience values and policies of the demo organisation. */
export const VALUES = [
  {
    name: 'No surprises about money',
    description: 'Never promise prices, refunds or discounts that nobody approved.',
    type: 'BOUNDARY',
    severity: 'advisory',
  },
  {
    name: 'Say what is unknown',
    description: 'Say plainly what is not known, and who would know it.',
    type: 'COMMITMENT',
    severity: 'advisory',
  },
] as const

export const HOUSE_POLICY = {
  meta: {
    schema_version: '1.0',
    name: 'House rules',
    scope: 'org',
    description: 'Demo data. Applies to every agent in the demo organisation.',
  },
  forbidden: [
    { pattern: '*shell*', reason: 'Agents must not run shell commands', severity: 'critical' },
    { pattern: 'disable_alerts', reason: 'Alerts must stay on', severity: 'critical' },
  ],
  escalation_triggers: [
    {
      condition: 'args.amount > 1000',
      action: 'deny',
      reason: 'Only people may pay more than 1000',
    },
  ],
  defaults: { enforcement_mode: 'enforce', unmapped_tool_action: 'allow' },
} as const

export const INVOICE_POLICY = {
  meta: { schema_version: '1.1', name: 'Payments', scope: 'agent', description: 'Demo data.' },
  escalation_triggers: [
    {
      condition: "tool == 'prepare_payment' and args.amount > 500",
      action: 'escalate',
      reason: 'Payments above 500 need a second look',
      approval: { expires_minutes: 1440 },
    },
  ],
  defaults: { enforcement_mode: 'enforce', unmapped_tool_action: 'allow' },
} as const

const REFUND_META = { schema_version: '1.1', name: 'Refunds', scope: 'agent' } as const

export const REFUND_POLICY = {
  meta: { ...REFUND_META, description: 'Demo data.' },
  capability_mappings: {
    desk: { tools: ['check_order', 'refund'], card_actions: ['check_order', 'refund'] },
    people: { tools: ['ask_manager'], card_actions: ['ask_manager'] },
  },
  defaults: { enforcement_mode: 'warn', unmapped_tool_action: 'warn' },
} as const

export const REFUND_POLICY_STRICT = {
  ...REFUND_POLICY,
  meta: { ...REFUND_META, description: 'Demo data. Large refunds need a person.' },
  escalation_triggers: [
    {
      condition: "tool == 'refund' and args.amount > 200",
      action: 'escalate',
      reason: 'Refunds above 200 need a person',
      approval: { expires_minutes: 1440, scopes: ['call', 'session'] },
    },
  ],
  defaults: { enforcement_mode: 'enforce', unmapped_tool_action: 'warn' },
} as const

export const DEPLOY_POLICY = {
  meta: {
    schema_version: '1.0',
    name: 'Deployments',
    scope: 'agent',
    description: 'Demo data.',
  },
  capability_mappings: {
    release: {
      tools: ['run_checks', 'deploy_staging', 'deploy_production', 'roll_back'],
      card_actions: ['run_checks', 'deploy_staging', 'deploy_production', 'roll_back'],
    },
  },
  escalation_triggers: [
    {
      condition: "tool == 'deploy_production' and hour < 6",
      action: 'escalate',
      reason: 'Nobody is on call before six in the morning',
    },
  ],
  defaults: { enforcement_mode: 'enforce', unmapped_tool_action: 'warn' },
} as const
