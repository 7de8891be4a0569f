import { bytesToBase64, bytesToHex } from '@touchstone/protocol/base'
import {
  consistencyProofFromTiles,
  NO_QUORUM,
  parseLogCheckpoint,
  type TlogPolicy,
  writeTlogPolicy,
} from '@touchstone/protocol/log'
import { invalidField, Problem } from '../../../kernel/problem.ts'
import { type CoverageDeps, createCoverage } from './coverage-service.ts'
import type { Checkpoint } from './ports.ts'
import { createProofs, type ProofDeps } from './proof-service.ts'
import { createTileReads, noTile } from './tile-service.ts'

export type ReadingDeps = ProofDeps &
  CoverageDeps & {
    /** Without the slash at the end. */
    baseUrl: string
  }

export type ReadingService = ReturnType<typeof createReadingService>

const GROUP = 'quorum-of-witnesses'

export type LogHealth = {
  status: 'ok' | 'degraded'
  size: number
  /** The size of the published checkpoint; null while none is. */
  publishedSize: number | null
  pending: number
  lastCheckpointAt: Date | null
  fault: string | null
  witnesses: Awaited<ReturnType<ProofDeps['witnesses']['views']>>
}

/** Everything that others read of the log. */
export function createReadingService(deps: ReadingDeps) {
  const { entries, log, witnesses } = deps
  const tiles = createTileReads(deps)
  const proofs = createProofs(deps)
  const published = async (): Promise<Checkpoint> => {
    const checkpoint = await witnesses.published()
    if (checkpoint !== undefined) return checkpoint
    throw new Problem('not_found', 'The log has published no checkpoint yet.')
  }
  const trust = async (): Promise<TlogPolicy> => {
    const hasQuorum = witnesses.quorum > 0
    const group = {
      name: GROUP,
      threshold: witnesses.quorum,
      members: witnesses.witnesses.map(({ name }) => name),
    }
    return {
      logs: [{ key: await log.key(), url: `${deps.baseUrl}/log/` }],
      witnesses: witnesses.witnesses.map(({ name, key, url }) => ({ name, key, url })),
      groups: hasQuorum ? [group] : [],
      quorum: hasQuorum ? GROUP : NO_QUORUM,
    }
  }
  return {
    trust,
    prove: proofs.prove,
    findProof: proofs.find,
    proveNewestOf: proofs.proveNewestOf,

    /** The head of the published checkpoint; undefined while none is published. */
    async publishedHead(): Promise<{ size: number; root: Uint8Array } | undefined> {
      const checkpoint = await witnesses.published()
      const head = checkpoint && parseLogCheckpoint(checkpoint.note)
      return head?.ok === true ? head.value : undefined
    },

    /** Whether the tree of the first `size` entries has a checkpoint of the agent. */
    hasCheckpointOf: async (agentId: string, size: number): Promise<boolean> =>
      (await entries.checkpointSpan(agentId, size)) !== undefined,

    witnessedRuns: createCoverage(deps).witnessedRuns,
    proveScitt: proofs.proveScitt,
    proofAt: proofs.proofAt,
    readTile: tiles.readTile,
    readEntries: tiles.entriesOf,

    /** The signed note. */
    checkpoint: async (): Promise<string> => (await published()).note,

    async tile(path: string): Promise<Uint8Array> {
      const found = await tiles.find(path, await published())
      if (found === undefined) throw noTile()
      return found
    },

    async consistency(from: number, to: number | undefined) {
      const { size } = await published()
      const second = to ?? size
      if (second > size) throw invalidField('to', `must be at most ${size}, the published size`)
      if (from > second) throw invalidField('from', 'must be at most the size in to')
      const isTrivial = from === 0 || from === second
      const hashes = isTrivial
        ? []
        : await consistencyProofFromTiles({ first: from, second }, tiles.readTile)
      return { from, to: second, hashes: hashes.map(bytesToBase64) }
    },

    /** A policy file for verifiers: the key of the log, its witnesses and their quorum. */
    async policy(): Promise<string> {
      const salt = bytesToHex(await entries.saltOfDeployment())
      return writeTlogPolicy(await trust(), [`The salt of entries of type key, in hex: ${salt}`])
    },

    async health(): Promise<LogHealth> {
      const [newest, published, pending, fault, isLate, views] = await Promise.all([
        log.newest(),
        witnesses.published(),
        entries.countPending(),
        log.fault(),
        witnesses.isLate(),
        witnesses.views(),
      ])
      return {
        status: fault === null && !isLate ? 'ok' : 'degraded',
        size: newest?.size ?? 0,
        publishedSize: published?.size ?? null,
        pending,
        lastCheckpointAt: newest?.createdAt ?? null,
        fault,
        witnesses: views,
      }
    },
  }
}
