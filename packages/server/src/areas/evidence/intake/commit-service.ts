import type { EnforcementMode } from '@touchstone/protocol/analysis'
import type { WindowSummary } from '@touchstone/protocol/evidence'
import {
  contentKeyOf,
  isSynthetic,
  recordOf,
  type SealedCheckpoint,
  TWIN_AGE_MS_MAX,
  TWINS_MIN,
} from '@touchstone/protocol/evidence'
import { isEligible } from '@touchstone/protocol/score'
import { createBatcher } from '../../../kernel/batcher.ts'
import type { Clock } from '../../../kernel/clock.ts'
import { type Db, isDatabaseDown, isUniqueViolation, transact } from '../../../kernel/db.ts'
import type { Events } from '../../../kernel/events.ts'
import { createIngestStore, type FollowedSession } from '../ledger/append-store.ts'
import { type Head, scoringSetSize } from '../ledger/head.ts'
import { type Placed, place } from '../ledger/placement.ts'
import { newSession, type Session } from '../ledger/session.ts'
import { toArriving, toWatched } from '../ledger/watch-service.ts'
import { archived, type Item, idTaken, noAgent, type Prepared } from './admission-service.ts'
import { eventsOf } from './checkpoint-event.ts'
import type {
  Agents,
  Attestation,
  ChainState,
  Drift,
  Meters,
  Org,
  Scores,
  Signer,
  Watcher,
} from './ports.ts'
import { isSameDecision, type KnownDecision } from './submission.ts'

/** How often a batch starts over because another one took an id of it meanwhile. */
const ID_RACES_MAX = 3

export type StoreDeps = {
  db: Db
  clock: Clock
  agents: Agents
  events: Events
  attestation: Attestation
  drift: Drift
  meters: Meters
  scores: Scores
  watchers(): readonly Watcher[]
  antiGaming: 'exclude' | 'record'
}

/** What its sender is told of a decision. */
export type Checked = SealedCheckpoint & {
  duplicate: boolean
  mode: EnforcementMode
  window: WindowSummary & { driftAlertActive: boolean }
}

/** A stored one, or what is still to be looked up. */
export type Stored = { kind: 'stored'; checked: Checked } | Exclude<Item, { kind: 'examined' }>

export async function hasAlert(drift: Drift, db: Db, session: Session): Promise<boolean> {
  return session.alerted && drift.hasOpen(db, session.agentId, session.sessionId)
}

/** Concurrent transactions of this process: enough to keep the database busy, few enough to fill up. */
const TRANSACTIONS_MAX = 4
/** A full batch gains nothing by waiting, but other work needs connections too. */
const TRANSACTIONS_FULL_MAX = 6
/** Checkpoints of one transaction: as many as the largest batch request has. */
const CHECKPOINTS_MAX = 50

/**
 * Stores examined decisions, each caller's in the order given. Concurrent callers share a transaction:
 * its cost is mostly in its statements, and hardly in the rows. A caller whose items cannot be stored
 * fails alone.
 */
export function createStorer(deps: StoreDeps): (waiting: readonly Prepared[]) => Promise<Stored[]> {
  const batcher = createBatcher<readonly Prepared[], Stored[]>({
    async run(callers) {
      const stored = await storeWithRaces(deps, callers.flat())
      return callers.map((items) => stored.splice(0, items.length))
    },
    itemsMax: CHECKPOINTS_MAX,
    weight: { of: (items) => items.length, max: CHECKPOINTS_MAX },
    ageMsMax: 0,
    concurrency: TRANSACTIONS_MAX,
    concurrencyFull: TRANSACTIONS_FULL_MAX,
    failTogether: isDatabaseDown,
  })
  return batcher.add
}

/** A race for an id with another organisation's batch shows only as a unique violation on insert. */
async function storeWithRaces(deps: StoreDeps, waiting: readonly Prepared[]): Promise<Stored[]> {
  const signer = await deps.attestation.signer()
  for (let race = 1; ; race += 1) {
    try {
      const stored = await transact(deps.db, (tx) => storeAll(deps, tx, { signer, waiting }))
      const arrived = waiting.map(toArriving)
      for (const watcher of deps.watchers()) watcher.settled(arrived)
      return stored
    } catch (err) {
      if (race >= ID_RACES_MAX || !isUniqueViolation(err, 'checkpoint_owner_pkey')) throw err
    }
  }
}

type Storing = { signer: Signer; waiting: readonly Prepared[] }

type InPlace = { kind: 'placed'; placed: Placed; prepared: Prepared }

/** Position, chain, tree, certificate, drift and events are one transaction (01 §9). */
async function storeAll(deps: StoreDeps, tx: Db, storing: Storing): Promise<Stored[]> {
  const history = await lockHistory(deps, tx, storing.waiting)
  const now = deps.clock.now()
  const results: (Stored | InPlace)[] = []
  for (const [index, prepared] of storing.waiting.entries()) {
    const refused = history.refusal(prepared)
    if (refused !== undefined) results.push(refused)
    else {
      const placed = history.add(prepared, index, { antiGaming: deps.antiGaming, now })
      results.push({ kind: 'placed', placed, prepared })
    }
  }
  const added = results.flatMap((one) => (one.kind === 'placed' ? [one] : []))
  if (added.length === 0) return results.flatMap((one) => (one.kind === 'placed' ? [] : [one]))
  const placed = added.map((one) => one.placed)
  const sealed = await sealAll(deps, tx, { placed, heads: history.lockedHeads, storing, now })
  await createIngestStore(tx).save({
    checkpoints: sealed.checkpoints,
    sessions: history.sessions(),
    heads: history.heads().map((head) => sealedHead(head, sealed.states.get(head.agentId))),
  })
  await tell(deps, tx, added)
  const watched = added.map(toWatched)
  for (const watcher of deps.watchers()) await watcher.follow(tx, watched)
  for (const agentId of history.newlyEligible()) await deps.scores.requestFirst(tx, agentId)
  const checkpoints = sealed.checkpoints.values()
  const stored: Stored[] = []
  for (const one of results) {
    if (one.kind !== 'placed') stored.push(one)
    else stored.push(await toStored(deps, tx, one, checkpoints.next().value))
  }
  return stored
}

function sealedHead(head: Head, state: ChainState | undefined): Head {
  if (state === undefined) return head
  const { length, chainHash, leafCount, edge } = state
  return { ...head, length, chainHash, leafCount, edge }
}

/** Drift, events and the meter, for every organisation that something was stored of. */
async function tell(deps: StoreDeps, tx: Db, added: readonly InPlace[]): Promise<void> {
  for (const { placed, prepared } of added) await followDrift(deps, tx, prepared.org, placed)
  const events = added.flatMap(({ placed, prepared: { org } }) =>
    eventsOf(placed.checkpoint).map((event) => ({
      orgId: org.orgId,
      accountId: org.accountId,
      ...event,
    })),
  )
  await deps.events.emitAll(tx, events)
  const amounts = new Map<string, number>()
  for (const { prepared } of added) {
    const { orgId } = prepared.org
    amounts.set(orgId, (amounts.get(orgId) ?? 0) + 1)
  }
  for (const [orgId, amount] of amounts) {
    await deps.meters.record(tx, { orgId, meter: 'checks', amount })
  }
}

async function toStored(
  deps: StoreDeps,
  tx: Db,
  { placed, prepared }: InPlace,
  sealed: SealedCheckpoint | undefined,
): Promise<Stored> {
  if (sealed === undefined) throw new Error('a checkpoint was not sealed')
  const driftAlertActive = await hasAlert(deps.drift, tx, placed.after.session)
  return {
    kind: 'stored',
    checked: {
      checkpoint: sealed.checkpoint,
      seal: sealed.seal,
      duplicate: false,
      mode: prepared.ingestAgent.enforcementMode,
      window: { ...placed.summary, driftAlertActive },
    },
  }
}

/** What is there under the lock, moved on with each checkpoint that is added. */
async function lockHistory(deps: StoreDeps, tx: Db, waiting: readonly Prepared[]) {
  const store = createIngestStore(tx)
  const quiet = waiting.flatMap(({ ingestAgent }) => (ingestAgent.quiet ? ingestAgent.agentId : []))
  // Before the heads: whoever changes an agent locks its row first, too.
  if (quiet.length > 0) await deps.agents.heard(tx, [...new Set(quiet)])
  const arriving = waiting.map(toArriving)
  for (const watcher of deps.watchers()) await watcher.prepare?.(tx, arriving)
  const lockedHeads = await store.lockHeads([
    ...new Set(waiting.map((one) => one.decision.agentId)),
  ])
  const chosen = waiting.flatMap((one) => one.decision.checkpointId ?? [])
  const taken = new Map<string, KnownDecision>()
  for (const one of await store.known(chosen)) taken.set(one.checkpointId, one)
  const followed = new Map<string, FollowedSession>()
  for (const one of await store.sessions(placesOf(waiting))) followed.set(keyOf(one.session), one)
  const twins = await store.twins(waiting.map(contentOf), TWINS_MIN)
  const added = new Map<string, Date[]>()
  const heads = new Map(lockedHeads)

  return {
    lockedHeads,
    heads: (): Head[] => [...heads.values()],
    /** Those that had too few checkpoints for a score and now have enough. */
    newlyEligible: (): string[] =>
      [...heads.values()].flatMap(({ agentId, counts }) => {
        const before = lockedHeads.get(agentId)
        const was = before !== undefined && isEligible(scoringSetSize(before.counts))
        return !was && isEligible(scoringSetSize(counts)) ? [agentId] : []
      }),
    sessions: (): Session[] => [...followed.values()].map((one) => one.session),

    refusal({ checkpointId, decision, ingestAgent }: Prepared): Stored | undefined {
      const head = heads.get(decision.agentId)
      if (head === undefined) return { kind: 'refused', problem: noAgent() }
      // Archived while it was analysed.
      if (head.closed) return { kind: 'refused', problem: archived() }
      const twin = taken.get(checkpointId)
      if (twin === undefined) return undefined
      if (!isSameDecision(decision, twin)) {
        return { kind: 'refused', problem: idTaken(checkpointId) }
      }
      return { kind: 'known', checkpointId, agent: ingestAgent }
    },

    add(prepared: Prepared, index: number, rules: Parameters<typeof place>[3]): Placed {
      const { decision, checkpointId } = prepared
      const { agentId, sessionId, thinkingHash, outputHash, timestamp } = decision
      const head = heads.get(agentId)
      if (head === undefined) throw new Error(`the chain of ${agentId} is not locked`)
      const around = followed.get(keyOf(decision)) ?? {
        session: newSession(agentId, sessionId),
        window: [],
      }
      const content = `${agentId} ${contentOf(prepared).contentKey}`
      const same = added.get(content) ?? []
      const known = [...(twins[index] ?? []), ...same]
      const { session, window } = around
      const placed = place(prepared, { head, session, window }, known, rules)
      const { after } = placed
      heads.set(agentId, after.head)
      // A session keeps no head: the agent's other sessions move it on meanwhile.
      followed.set(keyOf(decision), { session: after.session, window: after.window })
      taken.set(checkpointId, { checkpointId, agentId, sessionId, thinkingHash, outputHash })
      if (!isSynthetic(prepared.examination)) added.set(content, [...same, timestamp])
      return placed
    },
  }
}

function keyOf(place: { agentId: string; sessionId: string }): string {
  return `${place.agentId} ${place.sessionId}`
}

function placesOf(waiting: readonly Prepared[]): { agentId: string; sessionId: string }[] {
  const places = new Map(waiting.map(({ decision }) => [keyOf(decision), decision]))
  return [...places.values()]
}

function contentOf({ decision }: Prepared) {
  const { agentId, thinkingHash: thinking, outputHash: output, timestamp } = decision
  return {
    agentId,
    contentKey: contentKeyOf({ thinking, output }),
    from: new Date(timestamp.getTime() - TWIN_AGE_MS_MAX),
    to: new Date(timestamp.getTime() + TWIN_AGE_MS_MAX),
  }
}

type Sealing = {
  placed: readonly Placed[]
  /** As they were before anything was added. */
  heads: ReadonlyMap<string, Head>
  storing: Storing
  now: Date
}

async function sealAll(deps: StoreDeps, tx: Db, { placed, heads, storing, now }: Sealing) {
  const byAgent = new Map<string, Placed[]>()
  for (const one of placed) {
    const { agentId } = one.checkpoint
    byAgent.set(agentId, [...(byAgent.get(agentId) ?? []), one])
  }
  const batches = [...byAgent].map(([agentId, own]) => {
    const head = heads.get(agentId)
    if (head === undefined) throw new Error(`the chain of ${agentId} is not locked`)
    const entries = own.map(({ checkpoint }) => ({
      record: recordOf(checkpoint),
      analysed: !isSynthetic(checkpoint),
    }))
    const { length, chainHash, leafCount, edge } = head
    return { state: { agentId, length, chainHash, leafCount, edge }, entries }
  })
  const results = await deps.attestation.seal(tx, storing.signer, batches, now)
  const states = new Map(results.map(({ state }) => [state.agentId, state]))
  const seals = new Map(results.map(({ state, sealed }) => [state.agentId, sealed.values()]))
  const checkpoints = placed.map(({ checkpoint }): SealedCheckpoint => {
    const seal = seals.get(checkpoint.agentId)?.next().value
    if (seal === undefined) throw new Error('a checkpoint was not sealed')
    return { checkpoint, seal }
  })
  return { checkpoints, states }
}

async function followDrift(deps: StoreDeps, tx: Db, org: Org, placed: Placed): Promise<void> {
  const { drift, checkpoint, summary } = placed
  if (drift === undefined) return
  const { agentId, sessionId, cardId } = checkpoint
  if (drift.kind === 'recovered') {
    await deps.drift.recoverSession(tx, org, { agentId, sessionId })
    return
  }
  const { firstId, ids, count, categories } = drift.streak
  await deps.drift.observeStreak(tx, org, {
    agentId,
    sessionId,
    cardId,
    firstId,
    checkpointIds: ids,
    sustained: count,
    categories,
    similarity: summary.integrityRatio,
  })
}
