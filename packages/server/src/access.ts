/**
 * The permissions of roles and API keys in one table (spec: platform §2.5). A route names an
 * operation; no other code decides by role or scope.
 */
export const ROLES = ['owner', 'admin', 'auditor', 'member'] as const
export type Role = (typeof ROLES)[number]

export const SCOPES = ['read', 'ingest', 'write', 'onchain', 'decide', 'approve'] as const
export type Scope = (typeof SCOPES)[number]

/** The scopes of a new key that names none. A key that approves has to be asked for. */
export const DEFAULT_SCOPES = [
  'read',
  'ingest',
  'write',
  'onchain',
] as const satisfies readonly Scope[]

/** The kinds of programs that hold keys. */
export const KEY_CLIENTS = ['api', 'sdk', 'mcp_guard', 'hook'] as const
export type KeyClient = (typeof KEY_CLIENTS)[number]

/** Scopes that another scope includes (spec: decisions §6). */
const INCLUDED: Partial<Record<Scope, readonly Scope[]>> = { write: ['decide'] }

/**
 * The scope an API key needs; `never` marks operations that only a signed-in user can perform.
 */
type KeyRule = Scope | 'never'

type Row = {
  roles: readonly Role[]
  key: KeyRule
  /** Another scope that suffices. */
  orKey?: Scope
  operations: readonly string[]
}

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
      'decisions.read',
      'teams.read',
      'transactions.read',
      'risk.read',
      'proofs.read',
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
    roles: EVERYONE,
    key: 'read',
    orKey: 'decide',
    operations: [
      'containment.read',
      'policies.read_resolved',
      'escalations.read',
      'tool_pins.read',
    ],
  },
  {
    roles: OVERSEERS,
    key: 'read',
    operations: [
      'compliance.export',
      'decisions.export',
      'evidence_packs.export',
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
      // Checks of other callers are answered, but enter no score.
      'coherence.record',
      // Evaluations of other callers are answered, but not recorded.
      'evaluations.record',
    ],
  },
  {
    roles: WORKERS,
    key: 'decide',
    operations: ['gateway.decide', 'decisions.report', 'tool_pins.report'],
  },
  // The policy says which of the roles can resolve an escalation; by default owner and admin.
  { roles: EVERYONE, key: 'approve', operations: ['escalations.resolve'] },
  {
    roles: ADMINS,
    key: 'write',
    operations: [
      'agents.update',
      'cards.change',
      'policies.change',
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
      'connections.manage',
      // Not with a key of the agent itself; tool-pins/routes.ts checks that.
      'tool_pins.accept',
    ],
  },
  // A card gap with an amendment needs violations.excuse; reclassification/service.ts checks that.
  { roles: ADMINS, key: 'write', orKey: 'approve', operations: ['violations.reclassify'] },
  { roles: ADMINS, key: 'approve', operations: ['violations.excuse'] },
  // A key can create only keys of agents; api-keys/service.ts checks that.
  {
    roles: EVERYONE,
    key: 'write',
    operations: ['violations.comment', 'keys.create', 'chains.audit'],
  },
  { roles: ADMINS, key: 'onchain', operations: ['onchain.write'] },
  { roles: WORKERS, key: 'never', operations: ['agents.claim'] },
  {
    roles: ADMINS,
    key: 'never',
    operations: [
      'org.update',
      'invitations.manage',
      'org_keys.manage',
      'members.remove',
      'approval_channels.manage',
    ],
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
  { roles: EVERYONE, key: 'never', operations: ['org.leave'] },
] as const satisfies readonly Row[]

export type Operation = (typeof MATRIX)[number]['operations'][number]

export type Rule = Pick<Row, 'roles' | 'key' | 'orKey'>

const RULES: ReadonlyMap<Operation, Rule> = new Map(
  MATRIX.flatMap(({ operations, ...rule }) =>
    operations.map((operation): [Operation, Rule] => [operation, rule]),
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
  if (rule.key === 'never')
    return 'API keys are not allowed to do this. Sign in and use the session token.'
  if (!rule.roles.includes(key.role)) {
    return `The role of this API key (${key.role}) does not allow this. Allowed roles: ${rule.roles.join(', ')}.`
  }
  if (hasScope(key.scopes, rule.key) || (rule.orKey && hasScope(key.scopes, rule.orKey))) {
    return undefined
  }
  return `This API key does not have the scope ${rule.key}.`
}

export function hasScope(scopes: readonly Scope[], wanted: Scope): boolean {
  return scopes.some((scope) => scope === wanted || INCLUDED[scope]?.includes(wanted))
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
