import {
  type MergedPolicy,
  type MergeStrategy,
  resolvedPolicyId,
  resolvePolicy,
} from '@touchstone/protocol/policy'
import { isStored, type PolicyVersion } from './policy-version.ts'

/** The last version of each layer that ever had one, deletions included. */
export type Layers = { org: PolicyVersion | undefined; agent: PolicyVersion | undefined }

/** The merged policy of an agent, and its sources. */
export type Resolution = {
  policy: MergedPolicy
  mergeStrategy: MergeStrategy
  id: string
  /** Increases with every change of a layer. */
  version: number
  /** The versions of the merged documents; 0 for a layer without one. */
  orgVersion: number
  agentVersion: number
  /** The document that results are reported under: the agent's, else the organisation's. */
  source: { policyId: string; version: number }
  /** The earliest time since which a layer is in policy mode enforce. */
  enforcedSince: Date | null
  /** When a layer last changed, deletions included. */
  changedAt: Date
}

/** Returns undefined if no layer has a document. */
export function resolutionOf(agentId: string, layers: Layers): Resolution | undefined {
  const org = isStored(layers.org) ? layers.org : undefined
  const agent = isStored(layers.agent) ? layers.agent : undefined
  const resolved = resolvePolicy({ org: org?.document, agent: agent?.document })
  const source = agent ?? org
  if (resolved === undefined || source === undefined) return undefined
  const orgVersion = org?.version ?? 0
  const agentVersion = agent?.version ?? 0
  return {
    ...resolved,
    id: resolvedPolicyId({ agentId, orgVersion, agentVersion }),
    version: (layers.org?.version ?? 0) + (layers.agent?.version ?? 0),
    orgVersion,
    agentVersion,
    source: { policyId: source.policyId, version: source.version },
    enforcedSince: earliest([org?.enforceSince, agent?.enforceSince]),
    changedAt: latest([layers.org?.updatedAt, layers.agent?.updatedAt], source.updatedAt),
  }
}

function latest(times: readonly (Date | undefined)[], first: Date): Date {
  return times.reduce((a: Date, b) => (b !== undefined && b > a ? b : a), first)
}

function earliest(times: readonly (Date | null | undefined)[]): Date | null {
  const known = times.filter((time) => time instanceof Date)
  return known.sort((a, b) => a.getTime() - b.getTime())[0] ?? null
}
