import { bytesToHex } from '@touchstone/protocol/base'
import {
  inclusionProofFromTiles,
  LOG_ENTRY_TYPES,
  type LogEntry,
  type LogEntryType,
  type LogProof,
  parseLogCheckpoint,
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
import { writeReceipt, writeStatement } from './scitt-service.ts'
import { createTileReads } from './tile-service.ts'

export type ProofDeps = {
  clock: Clock
  entries: Entries
  log: Log
  witnesses: Witnesses
  agents: Agents
  decisions: Decisions
  onError(err: unknown): void
}

/** An entry with the path to the root of a tree. */
type ProvenEntry = { index: number; entry: LogEntry; bytes: Uint8Array; hashes: Uint8Array[] }

/** A record in a tree of some size. */
export type ProvenRecord = Pick<ProvenEntry, 'index' | 'bytes' | 'hashes'> & {
  nonce: Uint8Array
  /** Canonical JSON. */
  record: string
}

/** COSE messages. */
export type ScittProof = { statement: Uint8Array; receipt: Uint8Array }

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

  const mayReadAll = async <R extends Parameters<typeof mayRead>[0]>(
    records: readonly R[],
    orgIds: readonly string[],
  ): Promise<R[]> => {
    const allowed: R[] = []
    for (const one of records) if (await mayRead(one, orgIds)) allowed.push(one)
    return allowed
  }

  const findPublished = async (
    type: LogEntryType,
    recordId: string,
  ): Promise<LogProof | undefined> => {
    const [logged] = await entries.find(recordId, [type])
    const opened = logged && (await entries.open(logged))
    if (opened === undefined) return undefined
    const checkpoint = await witnesses.published()
    if (checkpoint === undefined || opened.index >= checkpoint.size) return undefined
    return toProof(opened, await proveEntry(tiles, opened.index, checkpoint.size), checkpoint)
  }

  const open = async (wanted: Wanted) => {
    const { recordId, types } = await resolve(wanted)
    const readable = await mayReadAll(await entries.find(recordId, types), wanted.orgIds)
    const logged = onlyOne(readable)
    if (logged === undefined) {
      const pending = await entries.findPending(recordId, types)
      if (pending === undefined || !(await mayRead(pending, wanted.orgIds))) throw noRecord()
      throw notYetLogged(clock.nowMs() - pending.queuedAt.getTime())
    }
    const opened = await entries.open(logged)
    if (opened === undefined) throw noRecord()
    const checkpoint = await publishedWith(opened.index)
    const proven = await proveEntry(tiles, opened.index, checkpoint.size)
    return { opened, proven, checkpoint }
  }

  return {
    async prove(wanted: Wanted): Promise<LogProof> {
      const { opened, proven, checkpoint } = await open(wanted)
      return toProof(opened, proven, checkpoint)
    },

    /**
     * For a feature that shows the record itself, after it has checked who may read it. Undefined while
     * no published checkpoint holds the record, or the tiles cannot be read: a record can be shown
     * without its proof.
     */
    async find(type: LogEntryType, recordId: string): Promise<LogProof | undefined> {
      try {
        return await findPublished(type, recordId)
      } catch (err) {
        deps.onError(err)
        return undefined
      }
    },

    /** The newest checkpoint of an agent in the tree of the first `size` entries, which are published. */
    async proveNewestOf(agentId: string, size: number): Promise<ProvenRecord | undefined> {
      const span = await entries.checkpointSpan(agentId, size)
      const [logged] = span === undefined ? [] : await entries.listAt([span.last])
      const opened = logged && (await entries.open(logged))
      if (opened === undefined) return undefined
      const { index, bytes, hashes } = await proveEntry(tiles, opened.index, size)
      return { index, bytes, hashes, nonce: opened.nonce, record: opened.record }
    },

    /** The proof of the entry at a place, without its record. */
    proofAt: async (index: number, checkpoint: Checkpoint): Promise<string> =>
      proofText(await proveEntry(tiles, index, checkpoint.size), checkpoint),

    /** The same as messages of COSE (spec: log §5.1). */
    async proveScitt(wanted: Wanted): Promise<ScittProof> {
      const { proven, checkpoint } = await open(wanted)
      const { index, entry, hashes } = proven
      const head = parseLogCheckpoint(checkpoint.note)
      if (!head.ok) throw new Error(`our checkpoint: ${head.reason}`)
      const { size, root } = head.value
      const signer = await log.coseSigner()
      return {
        statement: writeStatement(proven, signer),
        receipt: writeReceipt(entry, { index, size, root, hashes }, signer),
      }
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
  size: number,
): Promise<ProvenEntry> {
  const [bytes, hashes] = await Promise.all([
    tiles.entryAt(index, size),
    inclusionProofFromTiles({ index, size }, tiles.readTile),
  ])
  const parsed = parseLogEntry(bytes)
  if (!parsed.ok) throw new Error(`entry ${index} of the log: ${parsed.reason}`)
  return { index, entry: parsed.value, bytes, hashes }
}

function toProof(
  { nonce, record }: LoggedRecord & { nonce: Uint8Array },
  proven: ProvenEntry,
  checkpoint: Checkpoint,
): LogProof {
  const { index, entry } = proven
  return {
    index,
    entry,
    nonce: bytesToHex(nonce),
    record: JSON.parse(record),
    proof: proofText(proven, checkpoint),
  }
}

function proofText({ index, bytes, hashes }: ProvenEntry, checkpoint: Checkpoint): string {
  return writeTlogProof({ extra: bytes, index, hashes, checkpoint: checkpoint.note })
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
