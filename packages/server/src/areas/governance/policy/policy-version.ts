import type { PolicyDocument } from '@touchstone/protocol/policy'

/** The owner of a policy. */
export type Owner = { kind: 'org' | 'agent' | 'team'; id: string }

/** One version of an owner's policy. A version without a document is the deletion. */
export type PolicyVersion = {
  owner: Owner
  version: number
  policyId: string
  document: PolicyDocument | null
  /** Since when the document's policy mode is enforce without interruption; null in other modes. */
  enforceSince: Date | null
  /** When the policy was created, not this version. */
  createdAt: Date
  updatedAt: Date
  updatedBy: string
}

/** A version with a document. */
export type StoredPolicy = PolicyVersion & { document: PolicyDocument }

export function isStored(version: PolicyVersion | undefined): version is StoredPolicy {
  return version !== undefined && version.document !== null
}

type Change = {
  owner: Owner
  /** The owner's last version, if any. */
  before: PolicyVersion | undefined
  at: Date
  by: string
}

/** The version after `before`. After a deletion it starts a new policy, with `freshId`. */
export function nextVersion(
  { owner, before, at, by }: Change,
  { document, freshId }: { document: PolicyDocument; freshId: string },
): StoredPolicy {
  const current = isStored(before) ? before : undefined
  const enforces = document.defaults.enforcement_mode === 'enforce'
  return {
    owner,
    version: (before?.version ?? 0) + 1,
    policyId: current?.policyId ?? freshId,
    document,
    enforceSince: enforces ? (current?.enforceSince ?? at) : null,
    createdAt: current?.createdAt ?? at,
    updatedAt: at,
    updatedBy: by,
  }
}

export function deletionOf(
  before: StoredPolicy,
  { at, by }: { at: Date; by: string },
): PolicyVersion {
  return {
    ...before,
    version: before.version + 1,
    document: null,
    enforceSince: null,
    updatedAt: at,
    updatedBy: by,
  }
}
