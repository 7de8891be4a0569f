/**
 * The permissions of roles and API keys in one table (spec: platform §2.5). A route names an
 * operation; no other code decides by role or scope.
 */
export const ROLES = ['owner', 'admin', 'auditor', 'member'] as const
export type Role = (typeof ROLES)[number]

export const SCOPES = ['read', 'ingest', 'write', 'onchain'] as const
export type Scope = (typeof SCOPES)[number]

/**
 * The scope an API key needs; `never` marks operations that only a signed-in person can perform.
 */
type KeyRule = Scope | 'never'

type Row = { roles: readonly Role[]; key: KeyRule; operations: readonly string[] }

const EVERYONE = ROLES
const OVERSEERS = ['owner', 'admin', 'auditor'] as const
const WORKERS = ['owner', 'admin', 'member'] as const
const ADMINS = ['owner', 'admin'] as const
const OWNERS = ['owner'] as const

const MATRIX = [
  {
    roles: EVERYONE,
    key: 'read',
    operations: [
      'agents.read',
      'cards.read',
      'checkpoints.read',
      'traces.read',
      'policies.read',
      'policies.evaluate',
      'escalations.read',
      'teams.read',
      'transactions.read',
      'risk.read',
      'proofs.read',
      'containment.read',
      'enforcement.read',
      'trust_edges.read',
      'coherence.read',
      'card_template.read',
      'conscience_values.read',
      'amendments.read',
      'reclassifications.read',
      'onchain.read',
      'reputation.query',
      'org.read',
      'members.read',
    ],
  },
  {
    roles: OVERSEERS,
    key: 'read',
    operations: [
      'compliance.export',
      'conscience_log.read',
      'audit_log.read',
      'plan.read',
      'usage.read',
      'webhooks.read',
    ],
  },
  { roles: WORKERS, key: 'ingest', operations: ['agents.register', 'evidence.ingest'] },
  {
    roles: WORKERS,
    key: 'write',
    operations: [
      'risk.assess',
      'intelligence.request',
      'transactions.manage',
      'score.recompute',
      'gateway.decide',
    ],
  },
  {
    roles: ADMINS,
    key: 'write',
    operations: [
      'agents.update',
      'cards.change',
      'policies.change',
      'escalations.resolve',
      'violations.reclassify',
      'amendments.change',
      'enforcement.change',
      'trust_edges.change',
      'teams.manage',
      'containment.pause',
      'containment.policy',
      'conscience_values.change',
      'card_template.change',
      'webhooks.manage',
      'proofs.retry',
    ],
  },
  { roles: EVERYONE, key: 'write', operations: ['violations.comment'] },
  { roles: ADMINS, key: 'onchain', operations: ['onchain.write'] },
  { roles: WORKERS, key: 'never', operations: ['agents.claim'] },
  {
    roles: ADMINS,
    key: 'never',
    operations: ['org.update', 'invitations.manage', 'org_keys.manage', 'members.remove'],
  },
  {
    roles: OWNERS,
    key: 'never',
    operations: [
      'containment.kill',
      'agents.retire',
      'card_template.delete',
      'members.change_role',
      'admins.manage',
      'sso.manage',
      'org.delete',
    ],
  },
  { roles: EVERYONE, key: 'never', operations: ['own_keys.manage', 'org.leave'] },
] as const satisfies readonly Row[]

export type Operation = (typeof MATRIX)[number]['operations'][number]

export type Rule = { roles: readonly Role[]; key: KeyRule }

const RULES: ReadonlyMap<Operation, Rule> = new Map(
  MATRIX.flatMap((row) =>
    row.operations.map((operation): [Operation, Rule] => [
      operation,
      { roles: row.roles, key: row.key },
    ]),
  ),
)

export const OPERATIONS: readonly Operation[] = [...RULES.keys()]

export function ruleOf(operation: Operation): Rule {
  const rule = RULES.get(operation)
  if (rule === undefined) throw new Error(`no rule for operation ${operation}`)
  return rule
}

export function roleAllows(role: Role, operation: Operation): boolean {
  return ruleOf(operation).roles.includes(role)
}

/**
 * Role and scope must both allow it (spec: platform §2.2). Returns the reason for a refusal, or
 * undefined.
 */
export function keyRefusal(
  key: { role: Role; scopes: readonly Scope[] },
  operation: Operation,
): string | undefined {
  const rule = ruleOf(operation)
  if (rule.key === 'never') return 'No API key may do this: it takes a signed-in person.'
  if (!rule.roles.includes(key.role)) {
    return `The role of this API key (${key.role}) does not allow this: it takes ${rule.roles.join(' or ')}.`
  }
  if (!key.scopes.includes(rule.key)) return `This API key lacks the scope ${rule.key}.`
  return undefined
}

/** Features that a plan can include (spec: platform §2.6). */
export const FEATURES = [
  'risk_assessment',
  'team_risk_assessment',
  'zk_proofs',
  'team_reputation',
  'intelligence',
  'pairwise_coherence',
  'webhooks',
  'custom_conscience_values',
  'org_card_template',
  'nway_coherence',
  'sso',
] as const
export type Feature = (typeof FEATURES)[number]
