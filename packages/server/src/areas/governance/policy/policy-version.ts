import type { PolicyDocument } from '@touchstone/protocol/policy'

/** Whose policy it is. */
export type Owner = { kind: 'org' | 'agent' | 'team'; id: string }

/** One version of an owner's policy; without a document it is the deletion. */
export type PolicyVersion = {
  owner: Owner
  version: number
  policyId: string
  document: PolicyDocument | null
  /** When the document's own enforcement_mode became enforce; null while it is another. */
  enforceSince: Date | null
  /** Of the policy, not of this version. */
  createdAt: Date
  updatedAt: Date
  updatedBy: string
}

/** A version that is no deletion. */
export type StoredPolicy = PolicyVersion & { document: PolicyDocument }

export function isStored(version: PolicyVersion | undefined): version is StoredPolicy {
  return version !== undefined && version.document !== null
}

type Change = {
  owner: Owner
  /** The owner's last version, if there was one. */
  before: PolicyVersion | undefined
  at: Date
  by: string
}

/** What is written next. After a deletion it is another policy, with `freshId` and a new start. */
export function nextVersion(
  { owner, before, at, by }: Change,
  { document, freshId }: { document: PolicyDocument; freshId: string },
): StoredPolicy {
  const kept = isStored(before) ? before : undefined
  const enforces = document.defaults.enforcement_mode === 'enforce'
  return {
    owner,
    version: (before?.version ?? 0) + 1,
    policyId: kept?.policyId ?? freshId,
    document,
    enforceSince: enforces ? (kept?.enforceSince ?? at) : null,
    createdAt: kept?.createdAt ?? at,
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
