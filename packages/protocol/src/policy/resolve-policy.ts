import { sha256Hex } from '../crypto/hash.ts'
import { completed, mergeShared, schemaVersionOf, sharedOf } from './merge-rules.ts'
import type { MergedPolicy, PolicyDocument } from './policy.ts'

export type MergeStrategy = 'agent_overrides_org' | 'org_only' | 'agent_only'

export type ResolvedPolicy = { policy: MergedPolicy; mergeStrategy: MergeStrategy }

/** Merges the policies of an agent and its organisation. Undefined without either. */
export function resolvePolicy({
  org,
  agent,
}: {
  org?: PolicyDocument | undefined
  agent?: PolicyDocument | undefined
}): ResolvedPolicy | undefined {
  const nearest = agent ?? org
  if (nearest === undefined) return undefined
  const layers = [org && sharedOf(org, 'org'), agent && sharedOf(agent, 'agent')]
  const shared = layers
    .filter((layer) => layer !== undefined)
    .reduce((lower, upper) => mergeShared({ lower, upper }))
  const { name, description } = nearest.meta
  return {
    policy: {
      meta: {
        schema_version: schemaVersionOf(shared),
        name: `${name} (resolved)`,
        ...(description === undefined ? {} : { description }),
        scope: 'resolved',
      },
      // A capability of the same name is replaced as a whole.
      capability_mappings: { ...org?.capability_mappings, ...agent?.capability_mappings },
      ...completed(shared),
    },
    mergeStrategy: strategyOf({ org, agent }),
  }
}

function strategyOf({ org, agent }: { org: unknown; agent: unknown }): MergeStrategy {
  if (agent === undefined) return 'org_only'
  return org === undefined ? 'agent_only' : 'agent_overrides_org'
}

/**
 * Deterministic: the same documents give the same id everywhere. An absent document has version 0.
 */
export function resolvedPolicyId({
  agentId,
  orgVersion,
  agentVersion,
}: {
  agentId: string
  orgVersion: number
  agentVersion: number
}): string {
  const hash = sha256Hex(`${agentId}:${orgVersion}:${agentVersion}`)
  return `pol-resolved-${hash.slice(0, 12)}`
}
