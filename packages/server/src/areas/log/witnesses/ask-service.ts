import { consistencyProofFromTiles, writeAddCheckpoint } from '@touchstone/protocol/log'
import type { Clock } from '../../../kernel/clock.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import type { WitnessSettings } from '../../../log-config.ts'
import { readAnswer, type WitnessAnswer } from './add-checkpoint.ts'
import type { Checkpoint, Log, Outbound } from './ports.ts'
import { createWitnessStore, type WitnessState } from './store.ts'

export type AskDeps = {
  db: Db
  clock: Clock
  log: Log
  outbound: Outbound
  witnesses: readonly WitnessSettings[]
  /** A witness cosigned a checkpoint. */
  onCosigned(): Promise<void>
  onError(err: unknown): void
}

const TIMEOUT_MS = 10_000
const ANSWER_BYTES_MAX = 16 * 1024
/** A witness that names another size is asked again from there, but not for ever. */
const TRIES_MAX = 3
const BACKOFF_MS_MAX = 60_000

const NEVER_ASKED: WitnessState = {
  size: 0,
  status: 'never_asked',
  detail: null,
  answeredAt: null,
  cosignedAt: null,
}

/** Asks witnesses to cosign the newest checkpoint. No witness holds up another, or the log. */
export function createAsker(deps: AskDeps) {
  const asking = new Map<string, Promise<void>>()
  const failures = new Map<string, { count: number; nextMs: number }>()

  const ask = async (witness: WitnessSettings, newest: Promise<Newest>): Promise<void> => {
    const { checkpoint, states } = await newest
    const before = states.get(witness.name) ?? NEVER_ASKED
    if (checkpoint === undefined || checkpoint.size === 0) return
    if (before.status === 'ok' && before.size === checkpoint.size) return
    const outcome = await negotiate(deps, witness, checkpoint, before.size)
    await save(deps, witness, { checkpoint, before, outcome })
    if (outcome.kind === 'cosigned') {
      failures.delete(witness.name)
      await deps.onCosigned()
      return
    }
    const count = (failures.get(witness.name)?.count ?? 0) + 1
    const waitMs = Math.min(2 ** count * 500, BACKOFF_MS_MAX)
    failures.set(witness.name, { count, nextMs: deps.clock.nowMs() + waitMs })
  }

  const start = (witness: WitnessSettings, newest: Promise<Newest>): Promise<void> => {
    const known = asking.get(witness.name)
    if (known !== undefined) return known
    const started = ask(witness, newest)
      .catch(deps.onError)
      .finally(() => asking.delete(witness.name))
    asking.set(witness.name, started)
    return started
  }

  return {
    /** Asks those that are due, without waiting for their answers. */
    tick(): void {
      const due = deps.witnesses.filter(({ name }) => {
        const { nextMs = 0 } = failures.get(name) ?? {}
        return nextMs <= deps.clock.nowMs() && !asking.has(name)
      })
      if (due.length === 0) return
      const newest = readNewest(deps)
      for (const witness of due) void start(witness, newest)
    },

    /** Asks all, and waits for their answers. */
    async askAll(): Promise<void> {
      const newest = Promise.resolve(await readNewest(deps))
      await Promise.all(deps.witnesses.map((witness) => start(witness, newest)))
    },

    stop: async (): Promise<void> => void (await Promise.all(asking.values())),
  }
}

type Newest = { checkpoint: Checkpoint | undefined; states: ReadonlyMap<string, WitnessState> }

/** Read once for all witnesses. */
async function readNewest({ db, log }: AskDeps): Promise<Newest> {
  const [checkpoint, states] = await Promise.all([
    log.checkpoints(db).findNewest(),
    createWitnessStore(db).states(),
  ])
  return { checkpoint, states }
}

type Outcome = Exclude<WitnessAnswer, { kind: 'conflict' }>

async function negotiate(
  deps: AskDeps,
  witness: WitnessSettings,
  checkpoint: Checkpoint,
  knownSize: number,
): Promise<Outcome> {
  let old = Math.min(knownSize, checkpoint.size)
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const answer = await request(deps, witness, checkpoint, old)
    if (answer.kind !== 'conflict') return answer
    if (answer.size > checkpoint.size) {
      const detail = `it knows size ${answer.size}, and the log has ${checkpoint.size}`
      return { kind: 'refused', status: 'conflict', detail }
    }
    old = answer.size
  }
  return { kind: 'refused', status: 'conflict', detail: 'it names another size each time' }
}

async function request(
  { log, outbound }: AskDeps,
  { url, key }: WitnessSettings,
  checkpoint: Checkpoint,
  old: number,
): Promise<WitnessAnswer> {
  const { note, size } = checkpoint
  const needsProof = old > 0 && old < size
  const hashes = needsProof
    ? await consistencyProofFromTiles({ first: old, second: size }, log.readTile)
    : []
  try {
    const response = await outbound({
      url: `${url.replace(/\/$/, '')}/add-checkpoint`,
      method: 'POST',
      headers: { 'content-type': 'text/plain; charset=utf-8' },
      body: writeAddCheckpoint({ old, hashes: [...hashes], checkpoint: note }),
      timeoutMs: TIMEOUT_MS,
      maxBytes: ANSWER_BYTES_MAX,
      overflow: 'fail',
    })
    return readAnswer(response, { checkpoint: note, key })
  } catch (err) {
    const detail = err instanceof Error ? err.message : String(err)
    return { kind: 'refused', status: 'unreachable', detail }
  }
}

async function save(
  deps: AskDeps,
  { name }: WitnessSettings,
  {
    checkpoint,
    before,
    outcome,
  }: { checkpoint: Checkpoint; before: WitnessState; outcome: Outcome },
): Promise<void> {
  const answeredAt = deps.clock.now()
  const { size } = checkpoint
  if (outcome.kind === 'cosigned') {
    await transact(deps.db, async (tx) => {
      const store = createWitnessStore(tx)
      await store.addCosignature({ size, witness: name, line: outcome.line, at: answeredAt })
      await store.setState(name, { size, status: 'ok', detail: null, answeredAt })
    })
    return
  }
  const { status, detail } = outcome
  const failed = { size: before.size, status, detail, answeredAt }
  await createWitnessStore(deps.db).setState(name, failed)
}
