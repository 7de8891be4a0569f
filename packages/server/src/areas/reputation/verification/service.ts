import { createCache } from '../../../kernel/cache.ts'
import { type Clock, MINUTE_MS } from '../../../kernel/clock.ts'
import { Problem } from '../../../kernel/problem.ts'
import type { ProvableCheckpoint } from './bundle-lines.ts'
import { type BundleDeps, createBundleService } from './bundle-service.ts'
import type { Auditor, AuditStatus, Rebuilt } from './ports.ts'
import { type Check, judgeProof, nodesForProof } from './proof.ts'
import { getRated, type RatedScore } from './rated-service.ts'

/** Answers kept; each is a few hundred bytes. */
const PROOFS_MAX = 10_000

export type VerificationDeps = BundleDeps & {
  clock: Clock
  auditor: Auditor
  /** A published score whose proof does not hold; told each time it is found so. */
  onUnverified(found: { agentId: string; failed: readonly Check[] }): void
}

export type Depth = 'tail' | 'full'

export type Proof = {
  published: Pick<RatedScore, 'agentId' | 'score' | 'grade' | 'computedAt'>
  verified: boolean
  hashChainValid: boolean
  /** Hex; null when so much of the tree is gone that there is none. */
  merkleRoot: string | null
  leafCount: number
  /** Null when the certificate is not there. */
  certificateHash: string | null
  latest: { checkpointId: string; at: string } | null
  audit: AuditStatus
  generatedAt: Date
}

export type VerificationService = ReturnType<typeof createVerificationService>

export function createVerificationService(deps: VerificationDeps) {
  const { clock } = deps
  const proofs = createCache<Proof>({ clock, entriesMax: PROOFS_MAX, ttlMs: MINUTE_MS })
  const running = new Map<string, Promise<Proof>>()

  /** Whoever asks the same meanwhile waits for the same walk. */
  const proveOnce = (key: string, published: RatedScore, depth: Depth): Promise<Proof> => {
    const name = `${depth} ${key}`
    const make = async (): Promise<Proof> => {
      try {
        const proof = await prove(deps, published, depth)
        proofs.set(key, proof)
        return proof
      } finally {
        running.delete(name)
      }
    }
    const started = running.get(name) ?? make()
    running.set(name, started)
    return started
  }

  return {
    ...createBundleService(deps),

    /** A walk over everything is its owner's to ask for. */
    async verify(
      agentId: string,
      orgIds: readonly string[],
      depth: Depth,
    ): Promise<{ proof: Proof; isPrivate: boolean }> {
      const { published, own, isPrivate } = await getRated(deps, agentId, orgIds)
      if (depth === 'full' && !own) {
        throw new Problem('forbidden', 'Only the organisation of the agent may ask for depth=full.')
      }
      const end = await deps.checkpoints.findEnd(agentId)
      if (end === undefined) throw new Problem('agent_not_found', 'No such agent.')
      const key = `${agentId} ${end.length} ${end.chainHash} ${published.computedAt.getTime()}`
      const known = depth === 'full' ? undefined : proofs.get(key)
      return { proof: known ?? (await proveOnce(key, published, depth)), isPrivate }
    },
  }
}

async function prove(deps: VerificationDeps, published: RatedScore, depth: Depth): Promise<Proof> {
  const { auditor, attestation, checkpoints } = deps
  const { agentId, score, grade, computedAt } = published
  const audit = await (depth === 'full' ? auditor.walkNow(agentId) : auditor.verifyTail(agentId))
  const end = await checkpoints.findEnd(agentId)
  if (end === undefined) throw new Problem('agent_not_found', 'No such agent.')
  const sizes = { leafCount: end.leafCount, treeSize: published.treeSize }
  const nodes = await attestation.nodesOf(agentId, nodesForProof(sizes))
  const { latest, rebuilt } = await readLatest(deps, agentId, end.leafCount - 1)
  const keys = await attestation.publishedKeys()
  const findings = { agentId, audit, published, end, nodes, latest, rebuilt, keys }
  const { merkleRoot, failed } = judgeProof(findings)
  if (failed.length > 0) deps.onUnverified({ agentId, failed })
  return {
    published: { agentId, score, grade, computedAt },
    verified: failed.length === 0,
    hashChainValid: audit.valid,
    merkleRoot,
    leafCount: end.leafCount,
    certificateHash: rebuilt?.certificateHash ?? null,
    latest: latest === undefined ? null : latestOf(latest),
    audit,
    generatedAt: deps.clock.now(),
  }
}

/** A stored value that no record or certificate can say is as good as none. */
async function readLatest(
  { checkpoints, attestation }: VerificationDeps,
  agentId: string,
  leafIndex: number,
): Promise<{ latest: ProvableCheckpoint | undefined; rebuilt: Rebuilt | undefined }> {
  try {
    const latest = await checkpoints.findLeaf(agentId, leafIndex)
    const [rebuilt] = latest === undefined ? [] : await attestation.rebuild(agentId, [latest])
    return { latest, rebuilt }
  } catch (err) {
    if (err instanceof TypeError) return { latest: undefined, rebuilt: undefined }
    throw err
  }
}

function latestOf({ record }: ProvableCheckpoint): Proof['latest'] {
  return { checkpointId: record.subject.checkpoint_id, at: record.timestamp }
}
