import { DAY_MS, later, MINUTE_MS } from '../../../kernel/clock.ts'
import { type Db, purgeInPages, transact } from '../../../kernel/db.ts'
import type { Events } from '../../../kernel/events.ts'
import type { WitnessSettings } from '../../../log-config.ts'
import type { WitnessStatus } from './add-checkpoint.ts'
import { type AskDeps, createAsker } from './ask-service.ts'
import type { Checkpoint, Orgs } from './ports.ts'
import { createWitnessStore } from './store.ts'

export type WitnessDeps = Omit<AskDeps, 'onCosigned'> & {
  events: Events
  orgs: Orgs
  /** WITNESS_QUORUM: how many must cosign a checkpoint before it is published. */
  quorum: number
}

/** How long the witnesses may lag behind (spec: log §4). */
const LAG_MS_MAX = 10 * MINUTE_MS
const KEPT_MS = 30 * DAY_MS

export type WitnessView = {
  witness: WitnessSettings
  size: number
  status: WitnessStatus
  detail: string | null
  answeredAt: Date | null
  /** When it last cosigned a checkpoint. */
  cosignedAt: Date | null
}

/** Decides what is published: nothing less than what the quorum of witnesses cosigned. */
export function createWitnessService(deps: WitnessDeps) {
  const { db, clock, log, witnesses, quorum } = deps
  const store = createWitnessStore(db)
  const names = witnesses.map(({ name }) => name)

  const publishedHead = async (q: Db = db): Promise<Checkpoint | undefined> => {
    const checkpoints = log.checkpoints(q)
    if (quorum === 0) return checkpoints.findNewest()
    const size = await cosignedSize(q, quorum)
    return size === undefined ? undefined : checkpoints.find(size)
  }

  const cosignedSize = (q: Db, cosigners: number): Promise<number | undefined> =>
    createWitnessStore(q).newestCosigned(names, cosigners)

  /** Whether a checkpoint has waited too long for the quorum. */
  const isLate = async (q: Db = db): Promise<boolean> => {
    const published = await publishedHead(q)
    const next = await log.checkpoints(q).findHolding((published?.size ?? 0) + 1)
    return next !== undefined && next.createdAt < later(clock.now(), -LAG_MS_MAX)
  }

  const watch = async (): Promise<void> => {
    if (await isLate()) await raise(deps, isLate)
    else await store.clear()
  }

  const asker = createAsker({ ...deps, onCosigned: () => watch() })

  return {
    witnesses,
    quorum,
    isLate: () => isLate(),
    watch,
    tick: asker.tick,
    askAll: asker.askAll,
    stop: asker.stop,

    /** The newest checkpoint with its cosignatures; undefined while none may be published. */
    async published(): Promise<Checkpoint | undefined> {
      const head = await publishedHead()
      if (head === undefined) return undefined
      const lines = await store.linesOf(head.size, names)
      return { ...head, note: head.note + lines.join('') }
    },

    /**
     * The size of the newest checkpoint that the quorum cosigned, or one witness if no quorum is set;
     * undefined without one.
     */
    witnessedSize: async (tx: Db): Promise<number | undefined> =>
      names.length === 0 ? undefined : cosignedSize(tx, Math.max(1, quorum)),

    async views(): Promise<WitnessView[]> {
      const states = await store.states()
      return witnesses.map((witness) => {
        const state = states.get(witness.name)
        return {
          witness,
          size: state?.size ?? 0,
          status: state?.status ?? 'never_asked',
          detail: state?.detail ?? null,
          answeredAt: state?.answeredAt ?? null,
          cosignedAt: state?.cosignedAt ?? null,
        }
      })
    },

    async purge(now: Date): Promise<number> {
      const published = await publishedHead()
      if (published === undefined) return 0
      return purgeInPages((rowsMax) =>
        store.deleteBelow(published.size, later(now, -KEPT_MS), rowsMax),
      )
    },
  }
}

/** Tells every organisation once, because the log is everybody's. */
async function raise(deps: WitnessDeps, isLate: (tx: Db) => Promise<boolean>): Promise<void> {
  await transact(deps.db, async (tx) => {
    const store = createWitnessStore(tx)
    if (!(await store.raise(deps.clock.now()))) return
    // A witness may have cosigned, and cleared the row, since the first look.
    if (!(await isLate(tx))) {
      await store.clear()
      return
    }
    const orgs = await deps.orgs.listAccounts(tx)
    const data = { quorum: deps.quorum, witnesses: deps.witnesses.map(({ name }) => name) }
    await deps.events.emitAll(
      tx,
      orgs.map((org) => ({ type: 'log.unwitnessed' as const, ...org, data })),
    )
  })
}
