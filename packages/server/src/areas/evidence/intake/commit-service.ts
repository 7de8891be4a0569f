import { type EnforcementMode, worstSeverity } from '@touchstone/protocol/analysis'
import {
  type Checkpoint,
  isSynthetic,
  type SealedCheckpoint,
  type WindowSummary,
} from '@touchstone/protocol/evidence'
import { lockedAgent, storeUnlocked } from '../../../database/locked.ts'
import { createBatcher } from '../../../kernel/batcher.ts'
import { type Db, isDatabaseDown, isUniqueViolation, transact } from '../../../kernel/db.ts'
import type { Events } from '../../../kernel/events.ts'
import { decisionUsed } from '../../../record-origin.ts'
import {
  type AdmittedItem,
  type Arrival,
  agentArchived,
  agentNotFound,
  idTaken,
} from './admission-service.ts'
import { eventsOf } from './checkpoint-event.ts'
import type {
  Agents,
  Appended,
  AppendResult,
  Arriving,
  Attestation,
  Drift,
  Ledger,
  Meters,
  Scores,
  SessionState,
  Signer,
  Watched,
  Watcher,
} from './ports.ts'
import { isSameSubmission } from './submission.ts'

/** Attempts to store a batch when concurrent batches keep taking its ids. */
const ID_RACES_MAX = 3

export type CommitDeps = {
  db: Db
  groupCommitDb: Db
  agents: Agents
  events: Events
  attestation: Attestation
  drift: Drift
  ledger: Ledger
  meters: Meters
  scores: Scores
  watchers(): readonly Watcher[]
}

/** The answer to the sender of a submission. */
export type IngestResult = SealedCheckpoint & {
  duplicate: boolean
  mode: EnforcementMode
  window: WindowSummary & { driftAlertActive: boolean }
}

export type CommittedItem =
  | { kind: 'stored'; result: IngestResult }
  | Exclude<AdmittedItem, { kind: 'analysed' }>

export async function hasAlert(
  drift: Drift,
  db: Db,
  { checkpoint, session }: { checkpoint: Checkpoint; session: SessionState },
): Promise<boolean> {
  return session.alerted && drift.hasOpen(db, checkpoint.agentId, checkpoint.sessionId)
}

/** Concurrent transactions: enough to keep the database busy, few enough that batches fill up. */
const TRANSACTIONS_MAX = 4
/** A full batch gains nothing by waiting, but other work needs connections too. */
const TRANSACTIONS_FULL_MAX = 6
/** Checkpoints per transaction: the size of the largest batch request. */
const CHECKPOINTS_MAX = 50

/**
 * Group-commits analysed submissions, each caller's in the order given. Concurrent callers share a
 * transaction, because its cost depends on the number of statements far more than on the rows. A
 * caller whose items cannot be stored fails alone.
 */
export function createCommitter(
  deps: CommitDeps,
): (arrivals: readonly Arrival[]) => Promise<CommittedItem[]> {
  const batcher = createBatcher<readonly Arrival[], CommittedItem[]>({
    async run(callers) {
      const committed = [...(await commitUnlocked(deps, callers.flat()))]
      return callers.map((arrivals) => committed.splice(0, arrivals.length))
    },
    itemsMax: CHECKPOINTS_MAX,
    weight: { of: (arrivals) => arrivals.length, max: CHECKPOINTS_MAX },
    ageMsMax: 0,
    concurrency: TRANSACTIONS_MAX,
    concurrencyFull: TRANSACTIONS_FULL_MAX,
    failTogether: isDatabaseDown,
  })
  return batcher.add
}

/** Submissions of agents whose rows are locked for too long are refused, and do not hold up the rest. */
function commitUnlocked(
  deps: CommitDeps,
  arrivals: readonly Arrival[],
): Promise<readonly CommittedItem[]> {
  return storeUnlocked<Arrival, CommittedItem>(arrivals, {
    store: (some) => commitWithRetry(deps, some),
    agentOf: ({ ingestAgent }) => ingestAgent.agentId,
    async lockedAmong(agentIds) {
      const [agents, chains] = await Promise.all([
        deps.agents.lockedAmong(agentIds),
        deps.ledger.lockedAmong(agentIds),
      ])
      return new Set([...agents, ...chains])
    },
    refuse: () => ({ kind: 'rejected', problem: lockedAgent() }),
  })
}

/** A race for an id with another organisation's batch shows only as a unique violation on insert. */
async function commitWithRetry(
  deps: CommitDeps,
  arrivals: readonly Arrival[],
): Promise<CommittedItem[]> {
  const signer = await deps.attestation.signer()
  const arriving = arrivals.map(toArriving)
  for (let race = 1; ; race += 1) {
    try {
      const committed = await transact(deps.groupCommitDb, (tx) =>
        commitAll(deps, tx, { signer, arrivals, arriving }),
      )
      for (const watcher of deps.watchers()) watcher.settled(arriving)
      return committed
    } catch (err) {
      if (race >= ID_RACES_MAX || !isUniqueViolation(err, 'checkpoint_owner_pkey')) throw err
    }
  }
}

export type Batch = { signer: Signer; arrivals: readonly Arrival[]; arriving: readonly Arriving[] }

/** A submission with what became of it in the ledger. */
type Stored = { appended: Appended; arrival: Arrival }

/** Position, chain, tree, certificate, drift and events are one transaction (spec: evidence §8). */
export async function commitAll(
  deps: CommitDeps,
  tx: Db,
  { signer, arrivals, arriving }: Batch,
): Promise<CommittedItem[]> {
  const quiet = arrivals.flatMap(({ ingestAgent }) =>
    ingestAgent.quiet ? ingestAgent.agentId : [],
  )
  // Before the chains: every change of an agent locks its row before its chain.
  if (quiet.length > 0) await deps.agents.heard(tx, [...new Set(quiet)])
  for (const watcher of deps.watchers()) await watcher.prepare?.(tx, arriving)
  const { results, newlyEligible } = await deps.ledger.append(tx, signer, arrivals)
  const items = arrivals.map((arrival, index) => toItem(arrival, results[index]))
  const stored = items.filter((item) => 'appended' in item)
  if (stored.length > 0) {
    await announce(deps, tx, stored)
    const watched = stored.map(toWatched)
    for (const watcher of deps.watchers()) await watcher.follow(tx, watched)
    for (const agentId of newlyEligible) await deps.scores.requestFirst(tx, agentId)
  }
  const committed: CommittedItem[] = []
  for (const item of items) {
    if ('appended' in item) committed.push(await toCommitted(deps, tx, item))
    else committed.push(item)
  }
  return committed
}

function toItem(
  arrival: Arrival,
  result: AppendResult | undefined,
): Stored | Exclude<CommittedItem, { kind: 'stored' }> {
  const { submission, checkpointId, ingestAgent } = arrival
  switch (result?.kind) {
    case 'appended':
      return { appended: result, arrival }
    case 'no_chain':
      return { kind: 'rejected', problem: agentNotFound() }
    case 'closed':
      return { kind: 'rejected', problem: agentArchived() }
    case 'taken':
      if (isSameSubmission(submission, result.by)) {
        return { kind: 'duplicate', checkpointId, agent: ingestAgent }
      }
      return { kind: 'rejected', problem: idTaken(checkpointId) }
    case 'decision_used':
      return { kind: 'rejected', problem: decisionUsed(result.decisionId) }
    case undefined:
      throw new Error('a submission got no result from the ledger')
  }
}

async function toCommitted(
  deps: CommitDeps,
  tx: Db,
  { appended, arrival }: Stored,
): Promise<CommittedItem> {
  const { checkpoint, seal, window } = appended
  const driftAlertActive = await hasAlert(deps.drift, tx, appended)
  return {
    kind: 'stored',
    result: {
      checkpoint,
      seal,
      duplicate: false,
      mode: arrival.ingestAgent.enforcementMode,
      window: { ...window, driftAlertActive },
    },
  }
}

/** Updates drift alerts, emits events, and meters each organisation. */
async function announce(deps: CommitDeps, tx: Db, stored: readonly Stored[]): Promise<void> {
  for (const one of stored) await updateDrift(deps, tx, one)
  const events = stored.flatMap(({ appended, arrival: { org } }) =>
    eventsOf(appended.checkpoint).map((event) => ({
      orgId: org.orgId,
      accountId: org.accountId,
      ...event,
    })),
  )
  await deps.events.emitAll(tx, events)
  const amounts = new Map<string, number>()
  for (const { arrival } of stored) {
    const { orgId } = arrival.org
    if (isSynthetic(arrival.examination)) continue
    amounts.set(orgId, (amounts.get(orgId) ?? 0) + 1)
  }
  for (const [orgId, amount] of amounts) {
    await deps.meters.record(tx, { orgId, meter: 'checks', amount })
  }
}

async function updateDrift(deps: CommitDeps, tx: Db, { appended, arrival }: Stored): Promise<void> {
  const { drift, checkpoint, window } = appended
  if (drift === undefined) return
  const { agentId, sessionId, cardId } = checkpoint
  if (drift.kind === 'recovered') {
    await deps.drift.recoverSession(tx, arrival.org, { agentId, sessionId })
    return
  }
  const { firstId, ids, count, categories } = drift.streak
  await deps.drift.observeStreak(tx, arrival.org, {
    agentId,
    sessionId,
    cardId,
    firstId,
    checkpointIds: ids,
    sustained: count,
    categories,
    similarity: window.integrityRatio,
  })
}

export function toArriving({ ingestAgent: agent, examination }: Arrival): Arriving {
  return { agent, verdict: examination.verdict, analysed: !isSynthetic(examination) }
}

function toWatched({ appended, arrival }: Stored): Watched {
  const { agent, verdict, analysed } = toArriving(arrival)
  const { checkpoint, seal, session } = appended
  const { review_needed: reviews, boundary_violation: violations } = session.verdicts
  // The counts of a session leave out synthetic checkpoints.
  const synthetic = !analysed && verdict !== 'clear' ? 1 : 0
  return {
    agent,
    verdict,
    analysed,
    org: arrival.org,
    checkpointId: checkpoint.checkpointId,
    sessionId: checkpoint.sessionId,
    position: seal.position,
    violationType: checkpoint.violationType,
    severity: worstSeverity(checkpoint.concerns) ?? null,
    notClear: reviews + violations + synthetic,
  }
}
