import { createCache } from '../../../kernel/cache.ts'
import { type Clock, SECOND_MS } from '../../../kernel/clock.ts'
import { Problem } from '../../../kernel/problem.ts'
import type { ProvableCheckpoint } from './bundle-lines.ts'
import { type BundleDeps, streamBundle } from './bundle-service.ts'
import type { Auditor, AuditStatus, Checked, FullAudit, Rebuilt } from './ports.ts'
import { type Check, judgeProof, nodesForProof } from './proof.ts'
import { getRated, type RatedScore } from './rated-service.ts'

/** Proofs that are shared; each is a few hundred bytes. */
const PROOFS_MAX = 10_000
/** Callers within this share one proof, so that nobody makes the service recompute without end. */
const SHARED_MS = 10 * SECOND_MS

export type VerificationDeps = BundleDeps & {
  clock: Clock
  auditor: Auditor
  /** Reports a published score whose proof failed; called on every failed verification. */
  onUnverified(found: { agentId: string; failed: readonly Check[] }): void
}

export type Proof = {
  published: Pick<
    RatedScore,
    'agentId' | 'score' | 'grade' | 'computedAt' | 'assurance' | 'assuredScore'
  >
  verified: boolean
  hashChainValid: boolean
  /** Hex; null when too many nodes are missing to compute it. */
  merkleRoot: string | null
  leafCount: number
  /** Null when the certificate is missing. */
  certificateHash: string | null
  latest: { checkpointId: string; at: string } | null
  audit: AuditStatus
  checked: Checked
  generatedAt: Date
}

export type VerificationService = ReturnType<typeof createVerificationService>

export function createVerificationService(deps: VerificationDeps) {
  const { clock } = deps
  const proofs = createCache<Proof>({ clock, entriesMax: PROOFS_MAX, ttlMs: SHARED_MS })
  const running = new Map<string, Promise<Proof>>()

  /** Concurrent calls for the same score share one proof. */
  const proveOnce = (key: string, published: RatedScore): Promise<Proof> => {
    const start = async (): Promise<Proof> => {
      try {
        const proof = await prove(deps, published)
        proofs.set(key, proof)
        return proof
      } finally {
        running.delete(key)
      }
    }
    const started = running.get(key) ?? start()
    running.set(key, started)
    return started
  }

  return {
    bundle: (agentId: string, orgIds: readonly string[]) => streamBundle(deps, agentId, orgIds),

    async verify(agentId: string, orgIds: readonly string[]): Promise<Proof> {
      const { published } = await getRated(deps, agentId, orgIds)
      const end = await deps.checkpoints.findEnd(agentId)
      if (end === undefined) throw new Problem('agent_not_found', 'No such agent.')
      const key = `${agentId} ${end.length} ${end.chainHash} ${published.computedAt.getTime()}`
      return proofs.get(key) ?? proveOnce(key, published)
    },

    /** Has the whole chain walked in the background; `verify` then shows the result. */
    audit: (agentId: string): Promise<FullAudit> => deps.auditor.requestFull(agentId),
  }
}

async function prove(deps: VerificationDeps, published: RatedScore): Promise<Proof> {
  const { agentId, score, grade, computedAt, assurance, assuredScore } = published
  const [{ status: audit, checked }, tree] = await Promise.all([
    deps.auditor.verifyPresent(agentId),
    readTree(deps, published),
  ])
  const { end, latest, rebuilt } = tree
  const findings = { ...tree, agentId, audit, published }
  const { merkleRoot, failed } = judgeProof(findings)
  if (failed.length > 0) deps.onUnverified({ agentId, failed })
  return {
    published: { agentId, score, grade, computedAt, assurance, assuredScore },
    verified: failed.length === 0,
    hashChainValid: audit.valid,
    merkleRoot,
    leafCount: end.leafCount,
    certificateHash: rebuilt?.certificateHash ?? null,
    latest: latest === undefined ? null : toLatest(latest),
    audit,
    checked,
    generatedAt: deps.clock.now(),
  }
}

/** The end of the chain now, and the nodes between it and the published score. */
async function readTree(deps: VerificationDeps, { agentId, treeSize }: RatedScore) {
  const { attestation, checkpoints } = deps
  const end = await checkpoints.findEnd(agentId)
  if (end === undefined) throw new Problem('agent_not_found', 'No such agent.')
  const [nodes, found, keys] = await Promise.all([
    attestation.nodesOf(agentId, nodesForProof({ leafCount: end.leafCount, treeSize })),
    readLatest(deps, agentId, end.leafCount - 1),
    attestation.publishedKeys(),
  ])
  return { end, nodes, keys, ...found }
}

/** Treats a stored value that is invalid in a record or certificate (TypeError) as missing. */
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

function toLatest({ record }: ProvableCheckpoint): Proof['latest'] {
  return { checkpointId: record.subject.checkpoint_id, at: record.timestamp }
}
