import {
  inclusionProofFromTiles,
  LOG_ENTRY_TYPES,
  type LogEntry,
  type LogEntryType,
  parseLogEntry,
  writeTlogProof,
} from '@touchstone/protocol/log'
import type { Clock } from '../../../kernel/clock.ts'
import { Problem } from '../../../kernel/problem.ts'
import type {
  Agents,
  Checkpoint,
  Decisions,
  Entries,
  Log,
  LoggedRecord,
  Witnesses,
} from './ports.ts'
import { createTileReads } from './tile-service.ts'

export type ProofDeps = {
  clock: Clock
  entries: Entries
  log: Log
  witnesses: Witnesses
  agents: Agents
  decisions: Decisions
}

export type LogProof = {
  index: number
  entry: LogEntry
  nonce: Uint8Array
  /** Canonical JSON of the record. */
  record: string
  /** c2sp.org/tlog-proof. */
  proof: string
}

type Wanted = { recordId: string; type: LogEntryType | undefined; orgIds: readonly string[] }

/** Types whose records everybody sees who sees the agent; the others are for its organisation. */
const SHOWN_WITH_AGENT: readonly LogEntryType[] = ['checkpoint', 'score']

/** Proves that a record is in the log, to those who may read the record (spec: log §2). */
export function createProofs(deps: ProofDeps) {
  const { clock, entries, log, witnesses } = deps
  const tiles = createTileReads(deps)

  const mayRead = async (
    { type, orgId, agentId }: Pick<LoggedRecord, 'type' | 'orgId' | 'agentId'>,
    orgIds: readonly string[],
  ): Promise<boolean> => {
    if (type === 'key') return true
    if (agentId !== null && SHOWN_WITH_AGENT.includes(type)) {
      return canSee(deps.agents, agentId, orgIds)
    }
    const owner = orgId ?? (agentId === null ? undefined : await deps.agents.orgOf(agentId))
    return owner !== undefined && orgIds.includes(owner)
  }

  /** A decision has no entry of its own: its receipt leads to the root of its batch. */
  const resolve = async ({ recordId, type, orgIds }: Wanted) => {
    const types = type === undefined ? LOG_ENTRY_TYPES : [type]
    const isBatched = type === undefined || type === 'decisions'
    const root = isBatched ? await deps.decisions.batchRootOf(orgIds, recordId) : undefined
    return root === undefined
      ? { recordId, types }
      : { recordId: root, types: ['decisions' as const] }
  }

  const publishedWith = async (index: number): Promise<Checkpoint> => {
    const checkpoint = await witnesses.published()
    if (checkpoint !== undefined && index < checkpoint.size) return checkpoint
    const since = (await log.findHolding(index + 1))?.createdAt.getTime() ?? clock.nowMs()
    throw notYetLogged(clock.nowMs() - since)
  }

  return {
    async prove(wanted: Wanted): Promise<LogProof> {
      const { recordId, types } = await resolve(wanted)
      const logged = onlyOne(await entries.find(recordId, types))
      if (logged === undefined) {
        const pending = await entries.findPending(recordId, types)
        if (pending === undefined || !(await mayRead(pending, wanted.orgIds))) throw noRecord()
        throw notYetLogged(clock.nowMs() - pending.queuedAt.getTime())
      }
      const opened = (await mayRead(logged, wanted.orgIds)) && (await entries.open(logged))
      if (!opened) throw noRecord()
      const checkpoint = await publishedWith(opened.index)
      const { entry, proof } = await proveEntry(tiles, opened.index, checkpoint)
      const { index, nonce, record } = opened
      return { index, entry, nonce, record, proof }
    },
  }
}

async function canSee(
  agents: Agents,
  agentId: string,
  orgIds: readonly string[],
): Promise<boolean> {
  try {
    await agents.get(agentId, orgIds)
    return true
  } catch (err) {
    if (err instanceof Problem && err.code === 'agent_not_found') return false
    throw err
  }
}

async function proveEntry(
  tiles: ReturnType<typeof createTileReads>,
  index: number,
  checkpoint: Checkpoint,
): Promise<{ entry: LogEntry; proof: string }> {
  const [bytes, hashes] = await Promise.all([
    tiles.entryAt(index, checkpoint),
    inclusionProofFromTiles({ index, size: checkpoint.size }, tiles.readTile),
  ])
  const parsed = parseLogEntry(bytes)
  if (!parsed.ok) throw new Error(`entry ${index} of the log: ${parsed.reason}`)
  const proof = writeTlogProof({ extra: bytes, index, hashes, checkpoint: checkpoint.note })
  return { entry: parsed.value, proof }
}

function noRecord(): Problem {
  return new Problem('not_found', 'The log has no entry of such a record.')
}

function onlyOne(found: readonly LoggedRecord[]): LoggedRecord | undefined {
  if (found.length <= 1) return found[0]
  const types = found.map(({ type }) => type).join(', ')
  throw new Problem('invalid_request', `type: must be one of ${types}, which have this id`)
}

function notYetLogged(ageMs: number): Problem {
  const message = 'The record is not in a published checkpoint yet. Retry in a few seconds.'
  const fields = { age_ms: Math.max(0, ageMs) }
  return new Problem('not_yet_logged', message, { fields, headers: { 'retry-after': '2' } })
}
