import type { PolicyOutcome } from '@touchstone/protocol/policy'
import { Type } from 'typebox'
import { NamedObject } from '../../../http/openapi/named.ts'
import {
  AgentParams,
  Nullable,
  OrgParams,
  PageFields,
  TeamParams,
  toPageFields,
} from '../../../http/wire.ts'
import type { Page } from '../../../kernel/db.ts'
import type { Owner, PolicyVersion, StoredPolicy } from './policy-version.ts'
import type { Resolution } from './resolution.ts'
import type { SavedPolicy } from './service.ts'

const VERSION = { version: Type.Integer({ minimum: 1, maximum: 2_147_483_647 }) }

/** Path parameters of a policy and of one of its versions. */
export const AGENT_PARAMS = {
  owner: AgentParams,
  version: Type.Object({ ...AgentParams.properties, ...VERSION }),
}
export const TEAM_PARAMS = {
  owner: TeamParams,
  version: Type.Object({ ...TeamParams.properties, ...VERSION }),
}
export const ORG_PARAMS = {
  owner: OrgParams,
  version: Type.Object({ ...OrgParams.properties, ...VERSION }),
}

/** Not validated here: policy validation reports findings by code. */
export const PolicyBody = Type.Unknown({
  title: 'PolicyDocument',
  description:
    'A policy document: meta {schema_version, name, description?, scope}, capability_mappings? {name: {tools, card_actions, description?}}, forbidden? [{pattern, reason, severity}], escalation_triggers? [{condition, action, reason, severity?, approval?}], limits? [{name, tools, max, per, action?, reason, approval?}], flows? [{name, from, to, action?, reason, approval?}], defaults? {enforcement_mode, unmapped_tool_action, unmapped_severity, grace_period_hours, fail_open, approval, max_identical_calls, changed_tool_action}; as JSON or YAML, by Content-Type. Nothing is blocked unless enforcement_mode is enforce, and unmapped tools are not blocked in their first 24 hours unless grace_period_hours is 0. The policy of a team applies only to transactions of its members. All fields, values and conditions: docs/concepts/policies.md. limits, flows, approval {required, roles, scopes, expires_minutes, local}, max_identical_calls and changed_tool_action need schema_version 1.1.',
})

const Approval = Type.Optional(
  NamedObject('ApprovalBlock', {
    required: Type.Optional(Type.Integer()),
    roles: Type.Optional(Type.Array(Type.String())),
    scopes: Type.Optional(Type.Array(Type.String())),
    expires_minutes: Type.Optional(Type.Integer()),
    local: Type.Optional(Type.Boolean()),
  }),
)

const SessionRule = {
  name: Type.String(),
  action: Type.String(),
  reason: Type.String(),
  approval: Approval,
  layer: Type.Optional(
    Type.String({ description: 'in a merged policy: org, agent, team:<id> or transaction:<id>' }),
  ),
}

const Parts = {
  meta: NamedObject('PolicyMeta', {
    schema_version: Type.String(),
    name: Type.String(),
    description: Type.Optional(Type.String()),
    scope: Type.String(),
  }),
  capability_mappings: Type.Record(
    Type.String(),
    NamedObject('CapabilityMapping', {
      description: Type.Optional(Type.String()),
      tools: Type.Array(Type.String()),
      card_actions: Type.Array(Type.String()),
    }),
  ),
  forbidden: Type.Array(
    NamedObject('ForbiddenRule', {
      pattern: Type.String(),
      reason: Type.String(),
      severity: Type.String(),
    }),
  ),
  escalation_triggers: Type.Array(
    NamedObject('EscalationTrigger', {
      condition: Type.String(),
      action: Type.String(),
      reason: Type.String(),
      severity: Type.Optional(Type.String()),
      approval: Approval,
    }),
  ),
  limits: Type.Optional(
    Type.Array(
      NamedObject('PolicyLimit', {
        ...SessionRule,
        tools: Type.Array(Type.String()),
        max: Type.Integer(),
        per: Type.String(),
      }),
    ),
  ),
  flows: Type.Optional(
    Type.Array(
      NamedObject('PolicyFlow', {
        ...SessionRule,
        from: Type.Array(Type.String()),
        to: Type.Array(Type.String()),
      }),
    ),
  ),
  model_limits: Type.Optional(
    Type.Array(
      NamedObject('ModelLimit', {
        name: Type.String(),
        layer: Type.Optional(Type.String()),
        models: Type.Array(Type.String()),
        max_tokens: Type.Optional(Type.Integer()),
        max_turns: Type.Optional(Type.Integer()),
        per: Type.String(),
        action: Type.String(),
      }),
    ),
  ),
  defaults: NamedObject('PolicyDefaults', {
    unmapped_tool_action: Type.Optional(Type.String()),
    unmapped_severity: Type.Optional(Type.String()),
    fail_open: Type.Optional(Type.Boolean()),
    enforcement_mode: Type.Optional(Type.String()),
    grace_period_hours: Type.Optional(Type.Number()),
    approval: Approval,
    max_identical_calls: Type.Optional(Nullable(Type.Integer())),
    changed_tool_action: Type.Optional(Type.String()),
  }),
}

export const Nothing = Type.Null({ description: 'Done; no body' })

const Findings = Type.Array(
  NamedObject('ValidationFinding', {
    path: Type.String(),
    code: Type.String(),
    message: Type.String(),
  }),
)

const policyFields = {
  id: Type.String(),
  version: Type.Integer(),
  ...Parts,
  created_at: Type.String(),
  updated_at: Type.String(),
}

export const Policy = NamedObject('Policy', policyFields)

export const PolicySaved = NamedObject(
  'SavedPolicy',
  { ...policyFields, warnings: Findings },
  { description: 'The stored policy, with warnings' },
)

export const PolicyHistory = NamedObject('PolicyVersionPage', {
  versions: Type.Array(
    NamedObject('PolicyVersion', {
      version: Type.Integer(),
      id: Type.String(),
      meta: Nullable(Parts.meta),
      updated_at: Type.String(),
      updated_by: Type.String(),
      deleted: Type.Boolean(),
    }),
  ),
  ...PageFields,
})

export const ResolvedPolicy = NamedObject('ResolvedPolicy', {
  agent_id: Type.String(),
  org_id: Type.String(),
  resolved_policy: NamedObject('EffectivePolicy', {
    id: Type.String(),
    version: Type.Integer(),
    ...Parts,
  }),
  sources: Type.Object({
    org_policy_version: Type.Integer(),
    agent_policy_version: Type.Integer(),
    merge_strategy: Type.String(),
  }),
  resolved_at: Type.String(),
})

export const PolicyVerdict = NamedObject('PolicyValidation', {
  valid: Type.Boolean(),
  errors: Findings,
  warnings: Findings,
  normalized: Nullable(NamedObject('NormalizedPolicy', Parts)),
})

export function toOwner(
  params: { org_id: string } | { agent_id: string } | { team_id: string },
): Owner {
  if ('org_id' in params) return { kind: 'org', id: params.org_id }
  if ('team_id' in params) return { kind: 'team', id: params.team_id }
  return { kind: 'agent', id: params.agent_id }
}

/** A mutable copy of a stored document, which is read-only. */
type Wire<T> = T extends readonly (infer Item)[]
  ? Wire<Item>[]
  : T extends object
    ? { -readonly [Key in keyof T]: Wire<T[Key]> }
    : T

function plain<T>(document: T): Wire<T> {
  return document as Wire<T>
}

export function toPolicy(stored: StoredPolicy) {
  return {
    id: stored.policyId,
    version: stored.version,
    ...plain(stored.document),
    created_at: stored.createdAt.toISOString(),
    updated_at: stored.updatedAt.toISOString(),
  }
}

export function toPolicySaved({ stored, warnings }: SavedPolicy) {
  return { ...toPolicy(stored), warnings: [...warnings] }
}

export function toPolicyHistory(page: Page<PolicyVersion>) {
  return {
    versions: page.items.map((item) => ({
      version: item.version,
      id: item.policyId,
      meta: item.document === null ? null : plain(item.document.meta),
      updated_at: item.updatedAt.toISOString(),
      updated_by: item.updatedBy,
      deleted: item.document === null,
    })),
    ...toPageFields(page),
  }
}

export function toResolvedPolicy(of: {
  agentId: string
  orgId: string
  resolution: Resolution
  resolvedAt: Date
}) {
  const { id, version, policy, orgVersion, agentVersion, mergeStrategy } = of.resolution
  return {
    agent_id: of.agentId,
    org_id: of.orgId,
    resolved_policy: { id, version, ...plain(policy) },
    sources: {
      org_policy_version: orgVersion,
      agent_policy_version: agentVersion,
      merge_strategy: mergeStrategy,
    },
    resolved_at: of.resolvedAt.toISOString(),
  }
}

export function toVerdict(outcome: PolicyOutcome) {
  return {
    valid: outcome.valid,
    errors: [...outcome.errors],
    warnings: [...outcome.warnings],
    normalized: outcome.valid ? plain(outcome.policy) : null,
  }
}

/** Changes with the form of resolved policies. */
const FORM = 1

/**
 * Made of versions, so that a guard with the same policy gets 304 (spec: decisions §6). Weak, because
 * the time of the resolution differs between answers.
 */
export function toResolvedEtag({ version, orgVersion, agentVersion }: Resolution): string {
  return `W/"${FORM}.${version}.${orgVersion}.${agentVersion}"`
}
