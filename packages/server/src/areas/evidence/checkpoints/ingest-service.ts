import { type Db, isUniqueViolation, transact } from '../../../kernel/db.ts'
import type { Events } from '../../../kernel/events.ts'
import type { Problem } from '../../../kernel/problem.ts'
import { TWIN_AGE_MS_MAX, TWINS_MIN } from './anti-gaming.ts'
import { contentKeyOf, isSynthetic, recordOf, type SealedCheckpoint } from './checkpoint.ts'
import { eventsOf } from './checkpoint-event.ts'
import type { Head } from './head.ts'
import { createIngestStore, type FollowedSession } from './ingest-store.ts'
import {
  archived,
  followedSession,
  type IntakeDeps,
  type Item,
  idTaken,
  noAgent,
  type Prepared,
  prepareAll,
} from './intake-service.ts'
import type { EnforcementMode } from './pipeline.ts'
import { type Placed, place } from './placement.ts'
import type { Attestation, Drift, IngestAgent, Meters, Org, Signer } from './ports.ts'
import { newSession, type Session } from './session.ts'
import { createCheckpointStore } from './store.ts'
import { isSameDecision, type KnownDecision, type Submission } from './submission.ts'
import { summariseWindow, type WindowSummary, windowBefore } from './window.ts'

/** How often a batch starts over because another one took an id of it meanwhile. */
const ID_RACES_MAX = 3

export type IngestDeps = IntakeDeps & {
  events: Events
  attestation: Attestation
  drift: Drift
  meters: Meters
  antiGaming: 'exclude' | 'record'
  onChecked(checked: Checked): void
}

/** What its sender is told of a decision. */
export type Checked = SealedCheckpoint & {
  duplicate: boolean
  mode: EnforcementMode
  window: WindowSummary & { driftAlertActive: boolean }
}

/** Analysed only: it has no place in any chain. */
export type DryRun = Omit<Checked, 'seal'>

export type Outcome = { ok: true; checked: Checked } | { ok: false; problem: Problem }

export function createIngestService(deps: IngestDeps) {
  /** In the order given; one that is refused takes no other with it. */
  const ingestAll = async (
    org: Org,
    given: readonly (Submission | Problem)[],
  ): Promise<Outcome[]> => {
    const items = await prepareAll(deps, org, given)
    const waiting = items.flatMap((item) => (item.kind === 'examined' ? [item.prepared] : []))
    const stored = waiting.length === 0 ? [] : await storeWithRaces(deps, org, waiting)
    const outcomes: Outcome[] = []
    for (const item of items) {
      const result = item.kind === 'examined' ? stored.shift() : item
      outcomes.push(await conclude(deps, result))
    }
    return outcomes
  }
  return {
    ingestAll,

    async ingest(org: Org, submission: Submission): Promise<Checked> {
      const [outcome] = await ingestAll(org, [submission])
      if (outcome === undefined) throw new Error('a submission without an outcome')
      if (outcome.ok) return outcome.checked
      throw outcome.problem
    },

    /** Nothing is stored, counted or told to anybody. */
    async dryRun(org: Org, submission: Submission): Promise<DryRun> {
      const [item] = await prepareAll(deps, org, [{ ...submission, checkpointId: undefined }])
      if (item?.kind === 'refused') throw item.problem
      if (item?.kind !== 'examined') throw new Error('a dry run has no twin')
      const { decision, ingestAgent } = item.prepared
      const around = await followedSession(deps.db, decision)
      const head = await createCheckpointStore(deps.db).findHead(decision.agentId)
      if (head === undefined) throw noAgent()
      const rules = { antiGaming: 'record', now: deps.clock.now() } as const
      const placed = place(item.prepared, { head: { ...head, recentAt: [] }, ...around }, [], rules)
      const driftAlertActive = await hasAlert(deps, deps.db, around.session)
      return {
        checkpoint: placed.checkpoint,
        duplicate: false,
        mode: ingestAgent.enforcementMode,
        window: { ...placed.summary, driftAlertActive },
      }
    },
  }
}

/** A stored one, or what is still to be looked up. */
type Stored = { kind: 'stored'; checked: Checked } | Exclude<Item, { kind: 'examined' }>

async function conclude(deps: IngestDeps, stored: Item | Stored | undefined): Promise<Outcome> {
  if (stored?.kind === 'refused') return { ok: false, problem: stored.problem }
  if (stored?.kind === 'known') return { ok: true, checked: await recall(deps, stored) }
  if (stored?.kind !== 'stored') throw new Error('an item was lost')
  deps.onChecked(stored.checked)
  return { ok: true, checked: stored.checked }
}

/** A decision sent again is answered with what was found the first time. */
async function recall(
  deps: IngestDeps,
  known: { checkpointId: string; agent: IngestAgent },
): Promise<Checked> {
  const found = await createCheckpointStore(deps.db).find(known.checkpointId)
  if (found === undefined) throw noAgent()
  const { session, window } = await followedSession(deps.db, found.checkpoint)
  const summary = summariseWindow(windowBefore(window, deps.clock.now()))
  return {
    ...found,
    duplicate: true,
    mode: known.agent.enforcementMode,
    window: { ...summary, driftAlertActive: await hasAlert(deps, deps.db, session) },
  }
}

async function hasAlert(deps: IngestDeps, db: Db, session: Session): Promise<boolean> {
  return session.alerted && deps.drift.hasOpen(db, session.agentId, session.sessionId)
}

/** An id that another organisation's batch takes at this moment is only noticed when it is stored. */
async function storeWithRaces(
  deps: IngestDeps,
  org: Org,
  waiting: readonly Prepared[],
): Promise<Stored[]> {
  const signer = await deps.attestation.signer()
  for (let race = 1; ; race += 1) {
    try {
      return await transact(deps.db, (tx) => storeAll(deps, tx, { org, signer, waiting }))
    } catch (err) {
      if (race >= ID_RACES_MAX || !isUniqueViolation(err, 'checkpoint_owner_pkey')) throw err
    }
  }
}

type Storing = { org: Org; signer: Signer; waiting: readonly Prepared[] }

/** Position, chain, tree, certificate, drift and events are one transaction (01 §9). */
async function storeAll(deps: IngestDeps, tx: Db, storing: Storing): Promise<Stored[]> {
  const { org, waiting } = storing
  const history = await lockHistory(deps, tx, waiting)
  const now = deps.clock.now()
  const results: (Stored | { kind: 'placed'; placed: Placed; prepared: Prepared })[] = []
  for (const [index, prepared] of waiting.entries()) {
    const refused = history.refusal(prepared)
    if (refused !== undefined) results.push(refused)
    else {
      const placed = history.add(prepared, index, { antiGaming: deps.antiGaming, now })
      results.push({ kind: 'placed', placed, prepared })
    }
  }
  const placed = results.flatMap((one) => (one.kind === 'placed' ? [one.placed] : []))
  if (placed.length === 0) return results.flatMap((one) => (one.kind === 'placed' ? [] : [one]))
  const sealed = await sealAll(deps, tx, { placed, heads: history.lockedHeads, storing, now })
  await createIngestStore(tx).save({
    checkpoints: sealed.checkpoints,
    sessions: history.sessions(),
    heads: history.heads().map((head) => ({ ...head, ...sealed.states.get(head.agentId) })),
  })
  for (const one of placed) await followDrift(deps, tx, org, one)
  const events = placed.flatMap((one) => eventsOf(one.checkpoint))
  await deps.events.emitAll(
    tx,
    events.map((event) => ({ ...org, ...event })),
  )
  await deps.meters.record(tx, { orgId: org.orgId, meter: 'checks', amount: placed.length })
  const checkpoints = sealed.checkpoints.values()
  const stored: Stored[] = []
  for (const one of results) {
    if (one.kind !== 'placed') stored.push(one)
    else stored.push(await toStored(deps, tx, one, checkpoints.next().value))
  }
  return stored
}

async function toStored(
  deps: IngestDeps,
  tx: Db,
  { placed, prepared }: { placed: Placed; prepared: Prepared },
  sealed: SealedCheckpoint | undefined,
): Promise<Stored> {
  if (sealed === undefined) throw new Error('a checkpoint was not sealed')
  const driftAlertActive = await hasAlert(deps, tx, placed.after.session)
  return {
    kind: 'stored',
    checked: {
      ...sealed,
      duplicate: false,
      mode: prepared.ingestAgent.enforcementMode,
      window: { ...placed.summary, driftAlertActive },
    },
  }
}

/** What is there under the lock, moved on with each checkpoint that is added. */
async function lockHistory(deps: IngestDeps, tx: Db, waiting: readonly Prepared[]) {
  const store = createIngestStore(tx)
  const quiet = waiting.flatMap(({ ingestAgent }) => (ingestAgent.quiet ? ingestAgent.agentId : []))
  // Before the heads: whoever changes an agent locks its row first, too.
  if (quiet.length > 0) await deps.agents.heard(tx, [...new Set(quiet)])
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
      const placed = place(prepared, { ...around, head }, known, rules)
      // A session keeps no head: the agent's other sessions move it on meanwhile.
      const { head: moved, ...followedOn } = placed.after
      heads.set(agentId, moved)
      followed.set(keyOf(decision), followedOn)
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

async function sealAll(deps: IngestDeps, tx: Db, { placed, heads, storing, now }: Sealing) {
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

async function followDrift(deps: IngestDeps, tx: Db, org: Org, placed: Placed): Promise<void> {
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
