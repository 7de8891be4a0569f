import { bytesToBase64, bytesToHex } from '@touchstone/protocol/base'
import { consistencyProofFromTiles, NO_QUORUM, writeTlogPolicy } from '@touchstone/protocol/log'
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
  return {
    prove: proofs.prove,
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
      const hasQuorum = witnesses.quorum > 0
      const group = {
        name: GROUP,
        threshold: witnesses.quorum,
        members: witnesses.witnesses.map(({ name }) => name),
      }
      return writeTlogPolicy(
        {
          logs: [{ key: await log.key(), url: `${deps.baseUrl}/log/` }],
          witnesses: witnesses.witnesses.map(({ name, key, url }) => ({ name, key, url })),
          groups: hasQuorum ? [group] : [],
          quorum: hasQuorum ? GROUP : NO_QUORUM,
        },
        [`The salt of entries of type key, in hex: ${salt}`],
      )
    },

    async health(): Promise<LogHealth> {
      const [newest, pending, fault, isLate, views] = await Promise.all([
        log.newest(),
        entries.countPending(),
        log.fault(),
        witnesses.isLate(),
        witnesses.views(),
      ])
      return {
        status: fault === null && !isLate ? 'ok' : 'degraded',
        size: newest?.size ?? 0,
        pending,
        lastCheckpointAt: newest?.createdAt ?? null,
        fault,
        witnesses: views,
      }
    },
  }
}
