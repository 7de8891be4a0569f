import type { PolicyDocument } from '@touchstone/protocol/policy'
import type { PolicyVersion } from './policy-version.ts'

/** A complete document with the given parts. */
export function documentOf(
  sparse: Partial<PolicyDocument> = {},
  scope: PolicyVersion['owner']['kind'] = 'agent',
): PolicyDocument {
  return {
    meta: { schema_version: '1.0', name: 'test', scope },
    capability_mappings: {},
    forbidden: [],
    escalation_triggers: [],
    defaults: {},
    ...sparse,
  }
}

export const ENFORCING = { defaults: { enforcement_mode: 'enforce' } } as const

export function versionOf(
  owner: PolicyVersion['owner'],
  given: Partial<PolicyVersion> = {},
): PolicyVersion {
  const at = new Date('2026-03-01T12:00:00.000Z')
  return {
    owner,
    version: 1,
    policyId: `pol-${owner.id}`,
    document: documentOf({}, owner.kind),
    enforceSince: null,
    createdAt: at,
    updatedAt: at,
    updatedBy: 'user-1',
    ...given,
  }
}
