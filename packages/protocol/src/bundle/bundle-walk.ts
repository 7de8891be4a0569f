import { bytesToHex, hexToBytes, isHashHex } from '../base/encoding.ts'
import { parseInstant } from '../base/shape.ts'
import { contentKeyOf } from '../evidence/anti-gaming.ts'
import { combinedCommitment } from '../evidence/commitments.ts'
import { type ChainHead, walkChain } from '../evidence/hash-chain.ts'
import { PROVENANCES, type Provenance } from '../evidence/provenance.ts'
import { type AttestedRecord, recordHash } from '../evidence/record.ts'
import {
  type AnalysedHour,
  analysedInHour,
  HOUR_CHECKPOINTS_MAX,
  hourAfter,
  THIN_FLAGS,
} from '../evidence/thin-evidence.ts'
import { leafHash } from '../merkle/merkle.ts'
import { createMerkleTree } from '../merkle/merkle-tree.ts'
import { sumAssuranceDays } from '../score/assurance.ts'
import { createAssuranceDays } from '../score/assurance-day.ts'
import type { BundleCheckpoint } from './bundle.ts'
import type { BundleCheck } from './bundle-faults.ts'
import { createRecount } from './recount.ts'

const CHAIN_FAULTS = {
  gap: 'chain/position is not the next position',
  previous: 'chain/prev_chain_hash does not match the previous chain hash',
  hash: 'chain/chain_hash does not match its parts',
}

const VERDICTS = ['clear', 'review_needed', 'boundary_violation']
const RECLASSIFICATIONS = ['card_gap', 'behavior_gap']

export type BundleSubject = {
  agentId: string
  /** When the score was computed. */
  atMs: number
  /** False for methodology 1. */
  hasAssurance: boolean
}

/**
 * Checks the checkpoints of a bundle in order and reports the faults of each. It continues from
 * what each checkpoint states, so that one broken link is not reported many times.
 */
export function createBundleWalk({ agentId, atMs, hasAssurance }: BundleSubject) {
  const tree = createMerkleTree()
  const recount = createRecount(atMs)
  const assuranceDays = createAssuranceDays()
  const ids = new Set<string>()
  let head: ChainHead = null
  let length = 0
  let nextLeaf = 0
  let lastLeaf: BundleCheckpoint | undefined
  let hour: AnalysedHour | null = null

  /**
   * Whether it is one too many in the hour of its receipt. Records of version 1.0.0 state no receipt;
   * they are older than the flag and do not count.
   */
  const joinHour = ({ record }: BundleCheckpoint): boolean => {
    const { receivedAt } = originOf(record)
    const at = typeof receivedAt === 'string' ? parseInstant(receivedAt) : undefined
    if (at === undefined || record.claims.synthetic) return false
    const earlier = analysedInHour(hour, at)
    hour = hourAfter(hour, at)
    return earlier >= HOUR_CHECKPOINTS_MAX
  }

  const count = (checkpoint: BundleCheckpoint): Fault[] => {
    const { record } = checkpoint
    const at = parseInstant(record.timestamp)
    if (at === undefined) return ['record/timestamp is not a valid timestamp']
    const gaming = recount.add(toCounted(checkpoint, at.getTime()))
    return [
      ...outsideFaults(checkpoint, { gaming, isBurst: joinHour(checkpoint) }),
      hasAssurance ? assure(checkpoint) : strangeReceipt(checkpoint),
    ]
  }

  /** Counts a checkpoint of the scoring set towards its day. */
  const assure = (checkpoint: BundleCheckpoint): Fault => {
    const { record, flags, received_at: receivedAt = '' } = checkpoint
    const { verdict, synthetic } = record.claims
    const origin = originOf(record)
    const at = parseInstant(receivedAt)
    if (at === undefined) return 'received_at is not a valid timestamp'
    if (origin.receivedAt !== undefined && origin.receivedAt !== receivedAt) {
      return 'received_at does not match the record'
    }
    if (origin.provenance === undefined) return 'record/subject/provenance is not a known value'
    if (!synthetic && !checkpoint.excluded_from_score) {
      const { provenance } = origin
      assuranceDays.add({ receivedAtMs: at.getTime(), verdict, provenance, flags })
    }
    return undefined
  }

  return {
    add(checkpoint: BundleCheckpoint): WalkFault[] {
      const { record, chain, leaf_index: leafIndex } = checkpoint
      const { checkpoint_id: id } = record.subject
      const follows = leafIndex === (record.claims.synthetic ? null : nextLeaf)
      const faults = [
        ...faultsOf('chain', [
          ...recordFaults(checkpoint, agentId),
          chainFault(checkpoint, head),
          ids.has(id) ? 'record/subject/checkpoint_id is a duplicate' : undefined,
        ]),
        ...faultsOf('tree', [follows ? undefined : 'leaf_index is not the next index']),
        ...faultsOf('score', count(checkpoint)),
      ]
      ids.add(id)
      length += 1
      nextLeaf = leafIndex === null ? nextLeaf : leafIndex + 1
      head = { position: chain.position, chainHash: chain.chain_hash }
      if (!record.claims.synthetic && isHashHex(chain.chain_hash)) {
        tree.append(leafHash(hexToBytes(chain.chain_hash)))
        lastLeaf = checkpoint
      }
      return faults
    },

    end: (driftedSessions: ReadonlySet<string>) => ({
      length,
      leafCount: tree.size,
      root: bytesToHex(tree.root()),
      lastLeaf,
      counts: recount.counts(driftedSessions),
      assurance: hasAssurance ? sumAssuranceDays(assuranceDays.days(), atMs) : undefined,
    }),
  }
}

function strangeReceipt({ received_at: receivedAt }: BundleCheckpoint): Fault {
  return receivedAt === undefined ? undefined : 'received_at does not belong to this methodology'
}

/** A record of version 1.0.0 states no provenance and counts as reported. */
function originOf({ subject }: AttestedRecord): {
  provenance: Provenance | undefined
  receivedAt: unknown
} {
  if (!('provenance' in subject && 'received_at' in subject)) {
    return { provenance: 'reported', receivedAt: undefined }
  }
  const provenance = PROVENANCES.find((one) => one === subject.provenance)
  return { provenance, receivedAt: subject.received_at }
}

type Fault = string | undefined

type WalkFault = { check: BundleCheck; message: string }

function faultsOf(check: BundleCheck, faults: readonly Fault[]): WalkFault[] {
  return faults.flatMap((message) => (message === undefined ? [] : { check, message }))
}

function recordFaults({ record, chain }: BundleCheckpoint, agentId: string): Fault[] {
  const { subject, claims, input_commitments: inputs } = record
  return [
    recordHash(record) === chain.record_hash
      ? undefined
      : 'chain/record_hash does not match the record',
    subject.agent_id === agentId ? undefined : 'record/subject/agent_id is a different agent',
    VERDICTS.includes(claims.verdict) ? undefined : 'record/claims/verdict is not a known verdict',
    combinedCommitment(inputs) === inputs.combined_commitment
      ? undefined
      : 'record/input_commitments/combined_commitment does not match the inputs',
  ]
}

function chainFault({ chain }: BundleCheckpoint, head: ChainHead): Fault {
  const link = {
    position: chain.position,
    previous: chain.prev_chain_hash,
    recordHash: chain.record_hash,
    chainHash: chain.chain_hash,
  }
  const walk = walkChain([link], head)
  return walk.valid ? undefined : CHAIN_FAULTS[walk.reason]
}

/** Checks the fields outside the record against the chain, as far as the chain determines them. */
function outsideFaults(
  checkpoint: BundleCheckpoint,
  { gaming, isBurst }: { gaming: readonly string[]; isBurst: boolean },
): Fault[] {
  const { flags, excluded_from_score: excluded, reclassification, record } = checkpoint
  const { verdict, synthetic } = record.claims
  // Bursts follow from the records; the others from texts that were never stored, so any are accepted.
  const thin = THIN_FLAGS.filter((flag) =>
    flag === 'burst' ? isBurst : !synthetic && flags.includes(flag),
  )
  const right = [...gaming, ...thin]
  const sameFlags = flags.length === right.length && flags.every((one, i) => one === right[i])
  const known = reclassification === null || RECLASSIFICATIONS.includes(reclassification)
  const changeable = !synthetic && verdict !== 'clear'
  return [
    sameFlags ? undefined : `flags must be [${right.join(', ')}]`,
    // The operator decides whether a flagged checkpoint is excluded (ANTI_GAMING); others must not
    // be.
    excluded && (gaming.length === 0 || verdict !== 'clear')
      ? 'excluded_from_score must be false'
      : undefined,
    known && (reclassification === null || changeable)
      ? undefined
      : 'reclassification is not allowed for this checkpoint',
  ]
}

function toCounted(checkpoint: BundleCheckpoint, timestampMs: number) {
  const { subject, claims, input_commitments: inputs } = checkpoint.record
  return {
    checkpointId: subject.checkpoint_id,
    sessionId: subject.session_id,
    timestampMs,
    verdict: claims.verdict,
    synthetic: claims.synthetic,
    excluded: checkpoint.excluded_from_score,
    cardGap: checkpoint.reclassification === 'card_gap',
    contentKey: contentKeyOf({
      thinking: inputs.thinking_block_hash,
      output: inputs.output_block_hash,
    }),
  }
}
