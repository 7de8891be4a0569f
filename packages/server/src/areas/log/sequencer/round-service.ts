import { readBundle, writeBundle } from '@touchstone/protocol/log'
import { emptyRoot } from '@touchstone/protocol/merkle'
import type { Clock } from '../../../kernel/clock.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import { assertTilesMatch, type Grown, growLog, LogFault } from './growth-service.ts'
import type { LogSigner } from './identity-service.ts'
import { createPatrol } from './patrol-service.ts'
import type { Entries } from './ports.ts'
import {
  createCheckpointStore,
  createLeaseStore,
  createRoundStore,
  type Round,
  type StoredCheckpoint,
} from './store.ts'
import { TileConflict, type TileStore } from './tile-store.ts'

export type RoundDeps = {
  db: Db
  clock: Clock
  entries: Entries
  tiles: TileStore
  signer(): Promise<LogSigner>
  /** Differs for each process. */
  holder: string
  /** Stores why the log is stopped, or null when it is whole again. */
  setFault(fault: string | null): Promise<void>
  onError(err: unknown): void
}

/** Entries of one checkpoint at most (spec: log §3). */
const ROUND_MAX = 10_000

export type RoundResult =
  /** Another process has the lease. */
  | { kind: 'follows' }
  /** Nothing waits. */
  | { kind: 'idle' }
  /** The tiles and the checkpoint disagree. */
  | { kind: 'stopped' }
  /** If it was full, more may wait. */
  | { kind: 'sequenced'; checkpoint: StoredCheckpoint; count: number; isFull: boolean }

/**
 * Adds waiting entries to the log: gives them their indexes and commits those, stores the tiles, and
 * then commits the checkpoint and takes the entries from the queue. After a crash the next round goes
 * on with the entries that have indexes, so that the tiles come out the same.
 */
export function createRounds(deps: RoundDeps) {
  const leases = createLeaseStore(deps.db)
  const patrol = createPatrol(deps.tiles)
  const run = async (): Promise<RoundResult> => {
    if (!(await leases.take(deps.holder))) return { kind: 'follows' }
    const signer = await deps.signer()
    const head = await headOf(deps, signer)
    await patrol.look(head.size)
    if (!(await hasWork(deps))) return { kind: 'idle' }
    await assertTilesMatch(head, deps.tiles)
    await deps.setFault(null)
    const round = await begin(deps, head)
    if (round === undefined) return { kind: 'idle' }
    const entries = readBundle(round.entries, round.pendingIds.length)
    if (entries === undefined) throw new Error('the entries of the round cannot be read')
    const grown = await growLog(head.size, entries, deps.tiles)
    await deps.tiles.putAll(grown.files)
    const checkpoint = await finish(deps, { signer, head, round, grown })
    await deletePartials(deps, grown)
    const count = entries.length
    return { kind: 'sequenced', checkpoint, count, isFull: count === ROUND_MAX }
  }
  return {
    /** One round. INVARIANT: one call at a time in a process, because a process is one holder. */
    async run(): Promise<RoundResult> {
      try {
        return await run()
      } catch (err) {
        if (!(err instanceof LogFault || err instanceof TileConflict)) throw err
        await deps.setFault(err.message)
        deps.onError(err)
        return { kind: 'stopped' }
      }
    },

    release: (): Promise<void> => leases.release(deps.holder),
  }
}

async function hasWork({ db, entries }: RoundDeps): Promise<boolean> {
  return (await entries.hasPending()) || (await createRoundStore(db).find()) !== undefined
}

/** The newest checkpoint; the first one, of the empty log, is stored when it is needed. */
async function headOf(deps: RoundDeps, signer: LogSigner): Promise<StoredCheckpoint> {
  const store = createCheckpointStore(deps.db)
  const newest = await store.findNewest()
  if (newest !== undefined) return newest
  const empty = { size: 0, root: emptyRoot() }
  const first = { ...empty, note: signer.signCheckpoint(empty), createdAt: deps.clock.now() }
  await transact(deps.db, async (tx) => {
    await holdLease(deps, tx)
    await createCheckpointStore(tx).insert(first)
  })
  return first
}

/** Gives indexes to waiting entries, unless a crash left a round to be finished. */
async function begin(deps: RoundDeps, { size }: StoredCheckpoint): Promise<Round | undefined> {
  const { round, settled } = await transact(deps.db, async (tx) => {
    await holdLease(deps, tx)
    const store = createRoundStore(tx)
    const left = await store.find()
    if (left !== undefined) {
      if (left.firstIndex !== size) throw new LogFault('the round in progress has another size')
      return { round: left, settled: () => undefined }
    }
    const { entries, settled } = await deps.entries.prepare(tx, ROUND_MAX)
    if (entries.length === 0) return { round: undefined, settled }
    const round: Round = {
      firstIndex: size,
      pendingIds: entries.map(({ pendingId }) => pendingId),
      entries: writeBundle(entries.map(({ entry }) => entry)),
    }
    await store.insert(round, deps.clock.now())
    return { round, settled }
  })
  settled()
  return round
}

type Finishing = { signer: LogSigner; head: StoredCheckpoint; round: Round; grown: Grown }

async function finish(
  deps: RoundDeps,
  { signer, head, round, grown }: Finishing,
): Promise<StoredCheckpoint> {
  const { size, root } = grown.head
  const checkpoint = {
    size,
    root,
    note: signer.signCheckpoint(grown.head),
    createdAt: deps.clock.now(),
  }
  await transact(deps.db, async (tx) => {
    await holdLease(deps, tx)
    const store = createCheckpointStore(tx)
    const newest = await store.findNewest()
    if (newest?.size !== head.size) throw new Error('another process finished the round')
    await store.insert(checkpoint)
    await deps.entries.settle(tx, round.pendingIds, round.firstIndex)
    await createRoundStore(tx).delete(round.firstIndex)
  })
  return checkpoint
}

/** Another process can take the lease while this one is paused. */
async function holdLease({ holder }: RoundDeps, tx: Db): Promise<void> {
  if (!(await createLeaseStore(tx).hold(holder))) {
    throw new Error('the lease of the log was lost; another process goes on')
  }
}

/** Partial tiles that are left over do no harm, so a failure is only reported. */
async function deletePartials(deps: RoundDeps, { completed }: Grown): Promise<void> {
  for (const path of completed) await deps.tiles.deletePartials(path).catch(deps.onError)
}
