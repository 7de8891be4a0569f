import { setTimeout as sleep } from 'node:timers/promises'
import { DAY_MS, later } from '../../../kernel/clock.ts'
import { type Db, purgeInPages } from '../../../kernel/db.ts'
import { tileReader } from './growth-service.ts'
import { createIdentity, type IdentityDeps } from './identity-service.ts'
import { createRounds, type RoundDeps, type RoundResult } from './round-service.ts'
import { createCheckpointStore, type StoredCheckpoint } from './store.ts'

export type SequencerDeps = IdentityDeps &
  Omit<RoundDeps, 'signer' | 'setFault'> & {
    /** Called after each round of this process, and in each tick without one. */
    onRound(result: RoundResult): Promise<void>
    /** The size of the published checkpoint; 0 while none is. */
    publishedSize(): Promise<number>
  }

/**
 * Rounds begin this far apart, unless one was full. Under load something always waits, and a round
 * costs nearly as much for one entry as for hundreds.
 */
const TICK_MS = 1000
const KEPT_MS = 30 * DAY_MS

export function createSequencerService(deps: SequencerDeps) {
  const identity = createIdentity(deps)
  const rounds = createRounds({ ...deps, signer: identity.signer, setFault: identity.setFault })
  const store = createCheckpointStore(deps.db)
  const stopping = new AbortController()
  let running: Promise<void> | undefined

  const runRound = async (): Promise<RoundResult> => {
    const result = await rounds.run()
    await deps.onRound(result)
    return result
  }

  /** Runs rounds until nothing waits, or another process has the lease. */
  const runDue = async (): Promise<number> => {
    let count = 0
    for (;;) {
      const result = await runRound()
      if (result.kind !== 'sequenced' || stopping.signal.aborted) return count
      count += result.count
    }
  }

  /** Runs one round, and further ones while they are full. */
  const runTick = async (): Promise<void> => {
    let isFull = true
    while (isFull && !stopping.signal.aborted) {
      const result = await runRound()
      isFull = result.kind === 'sequenced' && result.isFull
    }
  }

  const loop = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await runTick().catch(deps.onError)
      await sleep(TICK_MS, undefined, { signal: stopping.signal }).catch(() => undefined)
    }
    await rounds.release().catch(deps.onError)
  }

  return {
    /** Creates the name and the key of the log at the first start. */
    prepare: async (): Promise<void> => void (await identity.signer()),
    signer: identity.signer,
    fault: identity.fault,
    runDue,
    start(): void {
      running ??= loop()
    },
    async stop(): Promise<void> {
      stopping.abort()
      await running
    },

    newest: (): Promise<StoredCheckpoint | undefined> => store.findNewest(),
    findHolding: store.findHolding,
    checkpoints: (db: Db) => createCheckpointStore(db),
    sizeAt: store.sizeAt,
    sizeSince: store.sizeSince,
    readTile: tileReader(deps.tiles),
    getTile: (path: string): Promise<Uint8Array | undefined> => deps.tiles.get(path),

    async purge(now: Date): Promise<number> {
      const size = await deps.publishedSize()
      return purgeInPages((rowsMax) => store.deleteSuperseded(size, later(now, -KEPT_MS), rowsMax))
    },
  }
}
