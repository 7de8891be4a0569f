import {
  contentKeyOf,
  isSynthetic,
  NO_HASHES,
  NO_TEXT,
  recordOf,
  type SealedCheckpoint,
  summariseWindow,
  TWIN_AGE_MS_MAX,
  TWINS_MIN,
  type WindowContext,
  type WindowSummary,
  windowBefore,
  windowContext,
} from '@touchstone/protocol/evidence'
import { createAssuranceDays, isEligible } from '@touchstone/protocol/score'
import type { Clock } from '../../../kernel/clock.ts'
import type { Db } from '../../../kernel/db.ts'
import type { LogQueue, LogRecord } from '../../../log-record.ts'
import {
  createAppendStore,
  type KnownSubmission,
  type SentCheckpoint,
  type SessionWindow,
} from './append-store.ts'
import type { AgentDay } from './assurance-store.ts'
import { loadDecisionUses } from './decision-use-service.ts'
import { type Head, scoringSetSize } from './head.ts'
import { createNoveltyService, type NoveltyService } from './novelty-service.ts'
import { type AnalysedSubmission, type Placed, place } from './placement.ts'
import type { Attestation, ChainState, Signer } from './ports.ts'
import { type DriftStep, newSession, type Session } from './session.ts'
import { createCheckpointStore } from './store.ts'
import { violationDaysOf } from './violation-day.ts'
import { createViolationDayStore } from './violation-day-store.ts'

export type AppendDeps = {
  db: Db
  clock: Clock
  attestation: Attestation
  antiGaming: 'exclude' | 'record'
  log: LogQueue
}

type SessionKey = { agentId: string; sessionId: string }

export type AppendResult =
  | (SealedCheckpoint & {
      kind: 'appended'
      drift: DriftStep
      window: WindowSummary
      session: Session
    })
  | { kind: 'no_chain' }
  /** The agent was archived while the submission was analysed. */
  | { kind: 'closed' }
  /** The id belongs to a stored submission, which may be the same one. */
  | { kind: 'taken'; by: KnownSubmission }
  /** Another checkpoint names this decision. */
  | { kind: 'decision_used'; decisionId: string }

/** Appends analysed submissions to the chains of their agents. */
export function createAppendService(deps: AppendDeps) {
  const novelty = createNoveltyService(deps)
  return {
    /** The stored submissions among these ids. */
    findKnown: (checkpointIds: readonly string[]): Promise<KnownSubmission[]> =>
      createAppendStore(deps.db).known(checkpointIds),

    /** The window of a session as a submission of this time would find it. */
    async windowAt(session: SessionKey, timestamp: Date): Promise<WindowContext> {
      const { window } = await findSession(deps.db, session)
      return windowContext(windowBefore(window, timestamp))
    },

    /** A stored checkpoint with the state of its session now. */
    async recall(
      checkpointId: string,
    ): Promise<(SealedCheckpoint & { window: WindowSummary; session: Session }) | undefined> {
      const found = await createCheckpointStore(deps.db).find(checkpointId)
      if (found === undefined) return undefined
      const { session, window } = await findSession(deps.db, found.checkpoint)
      return { ...found, session, window: summariseWindow(windowBefore(window, deps.clock.now())) }
    },

    /** The checkpoint a submission would become, without flags. Stores nothing. */
    async preview(
      analysed: AnalysedSubmission,
    ): Promise<
      | { checkpoint: SealedCheckpoint['checkpoint']; window: WindowSummary; session: Session }
      | undefined
    > {
      const around = await findSession(deps.db, analysed.submission)
      const head = await createCheckpointStore(deps.db).findHead(analysed.submission.agentId)
      if (head === undefined) return undefined
      const rules = { antiGaming: 'record', now: deps.clock.now() } as const
      const unflagged = { ...analysed, traits: NO_TEXT }
      const empty = { head: { ...head, recentAt: [], hour: null }, recent: NO_HASHES }
      const placed = place(unflagged, { ...empty, ...around }, [], rules)
      return { checkpoint: placed.checkpoint, window: placed.summary, session: around.session }
    },

    lockedAmong: (agentIds: readonly string[]): Promise<string[]> =>
      createAppendStore(deps.db).lockedAmong(agentIds),

    /**
     * Appends submissions in the order given and locks their chains until the transaction ends.
     * Throws a unique violation of `checkpoint_owner_pkey` if a concurrent transaction takes one of
     * the ids.
     */
    async append(
      tx: Db,
      signer: Signer,
      submissions: readonly AnalysedSubmission[],
    ): Promise<{ results: AppendResult[]; newlyEligible: string[] }> {
      const history = await lockHistory(tx, novelty, submissions)
      const now = deps.clock.now()
      const rules = { antiGaming: deps.antiGaming, now }
      const outcomes = submissions.map(
        (analysed, index): Placed | Exclude<AppendResult, { kind: 'appended' }> =>
          history.refusal(analysed) ?? history.add(analysed, index, rules),
      )
      const placed = outcomes.filter(isPlaced)
      if (placed.length === 0) {
        return {
          results: outcomes.flatMap((one) => (isPlaced(one) ? [] : [one])),
          newlyEligible: [],
        }
      }
      const sealed = await sealAll(deps, tx, { placed, heads: history.lockedHeads, signer, now })
      await history.decisions.save()
      const heads = history.heads().map((head) => sealedHead(head, sealed.states.get(head.agentId)))
      await createAppendStore(tx).save({
        checkpoints: sealed.checkpoints,
        sessions: history.sessions(),
        heads,
        days: daysOf(sealed.checkpoints),
        slots: novelty.changes(history.recentBefore, history.recent),
      })
      await deps.log.add(tx, sealed.checkpoints.map(toLogRecord))
      const days = violationDaysOf(sealed.checkpoints)
      if (days.length > 0) await createViolationDayStore(tx).add(days)
      novelty.remember(heads, history.recent)
      const checkpoints = sealed.checkpoints.values()
      const results = outcomes.map((one) =>
        isPlaced(one) ? toAppended(one, checkpoints.next().value) : one,
      )
      return { results, newlyEligible: history.newlyEligible() }
    },
  }
}

/** Without the organisation, which the agent has. */
function toLogRecord({ checkpoint, seal }: SealedCheckpoint): LogRecord {
  const { checkpointId, agentId, receivedAt } = checkpoint
  const { recordHash, chainHash, position } = seal
  return {
    type: 'checkpoint',
    recordId: checkpointId,
    orgId: null,
    agentId,
    record: {
      checkpoint_id: checkpointId,
      agent_id: agentId,
      record_hash: recordHash,
      chain_hash: chainHash,
      position,
    },
    at: receivedAt,
  }
}

/** The days of the checkpoints in the scoring set. */
function daysOf(sealed: readonly SealedCheckpoint[]): AgentDay[] {
  const byAgent = new Map<string, ReturnType<typeof createAssuranceDays>>()
  for (const { checkpoint } of sealed) {
    const { agentId, verdict, provenance, flags, receivedAt } = checkpoint
    if (isSynthetic(checkpoint) || checkpoint.excluded) continue
    const days = byAgent.get(agentId) ?? createAssuranceDays()
    byAgent.set(agentId, days)
    days.add({ verdict, provenance, flags, receivedAtMs: receivedAt.getTime() })
  }
  return [...byAgent].flatMap(([agentId, days]) => days.days().map((day) => ({ ...day, agentId })))
}

function isPlaced(
  outcome: Placed | Exclude<AppendResult, { kind: 'appended' }>,
): outcome is Placed {
  return 'checkpoint' in outcome
}

function toAppended(placed: Placed, sealed: SealedCheckpoint | undefined): AppendResult {
  if (sealed === undefined) throw new Error('a checkpoint was not sealed')
  const { drift, summary: window, after } = placed
  const { checkpoint, seal } = sealed
  return { kind: 'appended', checkpoint, seal, drift, window, session: after.session }
}

async function findSession(db: Db, { agentId, sessionId }: SessionKey): Promise<SessionWindow> {
  const [found] = await createAppendStore(db).sessions([{ agentId, sessionId }])
  return found ?? { session: newSession(agentId, sessionId), window: [] }
}

/** The locked state of the chains and sessions, which advances with every checkpoint added. */
async function lockHistory(
  tx: Db,
  novelty: NoveltyService,
  submissions: readonly AnalysedSubmission[],
) {
  const store = createAppendStore(tx)
  const lockedHeads = await store.lockHeads([
    ...new Set(submissions.map(({ submission }) => submission.agentId)),
  ])
  const chosenIds = submissions.flatMap(({ submission }) => submission.checkpointId ?? [])
  const taken = new Map<string, KnownSubmission>()
  for (const one of await store.known(chosenIds)) taken.set(one.checkpointId, one)
  const sessions = new Map<string, SessionWindow>()
  for (const one of await store.sessions(sessionsOf(submissions))) {
    sessions.set(keyOf(one.session), one)
  }
  const decisions = await loadDecisionUses(tx, submissions)
  const twins = await store.twins(submissions.map(contentOf), TWINS_MIN)
  const added = new Map<string, Date[]>()
  const heads = new Map(lockedHeads)
  const recentBefore = await novelty.load(tx, lockedHeads.values())
  const recent = new Map(recentBefore)

  return {
    lockedHeads,
    decisions,
    recentBefore,
    recent,
    heads: (): Head[] => [...heads.values()],
    /** Agents that have just reached the number of checkpoints a score needs. */
    newlyEligible: (): string[] =>
      [...heads.values()].flatMap(({ agentId, counts }) => {
        const before = lockedHeads.get(agentId)
        const was = before !== undefined && isEligible(scoringSetSize(before.counts))
        return !was && isEligible(scoringSetSize(counts)) ? [agentId] : []
      }),
    sessions: (): Session[] => [...sessions.values()].map((one) => one.session),

    refusal(analysed: AnalysedSubmission) {
      const { checkpointId, submission } = analysed
      const head = heads.get(submission.agentId)
      if (head === undefined) return { kind: 'no_chain' } as const
      if (head.closed) return { kind: 'closed' } as const
      const by = taken.get(checkpointId)
      if (by !== undefined) return { kind: 'taken', by } as const
      const decisionId = decisions.findUsed(analysed)
      return decisionId === undefined ? undefined : ({ kind: 'decision_used', decisionId } as const)
    },

    add(analysed: AnalysedSubmission, index: number, rules: Parameters<typeof place>[3]): Placed {
      const { submission, checkpointId } = analysed
      const { agentId, sessionId, timestamp } = submission
      const head = heads.get(agentId)
      if (head === undefined) throw new Error(`the chain of ${agentId} is not locked`)
      const around = sessions.get(keyOf(submission)) ?? {
        session: newSession(agentId, sessionId),
        window: [],
      }
      const content = `${agentId} ${contentOf(analysed).contentKey}`
      const sameInBatch = added.get(content) ?? []
      const times = [...(twins[index] ?? []), ...sameInBatch]
      const { session, window } = around
      const hashes = recent.get(agentId) ?? NO_HASHES
      const placed = place(analysed, { head, session, window, recent: hashes }, times, rules)
      const { after } = placed
      heads.set(agentId, after.head)
      recent.set(agentId, after.recent)
      // Without head and hashes: the agent's other sessions advance them, too.
      sessions.set(keyOf(submission), { session: after.session, window: after.window })
      taken.set(checkpointId, { ...submission, checkpointId })
      decisions.add(analysed, head.length)
      if (!isSynthetic(analysed.examination)) added.set(content, [...sameInBatch, timestamp])
      return placed
    },
  }
}

function keyOf({ agentId, sessionId }: SessionKey): string {
  return `${agentId} ${sessionId}`
}

function sessionsOf(submissions: readonly AnalysedSubmission[]): SessionKey[] {
  const sessions = new Map(submissions.map(({ submission }) => [keyOf(submission), submission]))
  return [...sessions.values()]
}

function contentOf({ submission }: AnalysedSubmission) {
  const { agentId, thinkingHash: thinking, outputHash: output, timestamp } = submission
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
  signer: Signer
  now: Date
}

async function sealAll(deps: AppendDeps, tx: Db, { placed, heads, signer, now }: Sealing) {
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
  const results = await deps.attestation.seal(tx, signer, batches, now)
  const states = new Map(results.map(({ state }) => [state.agentId, state]))
  const seals = new Map(results.map(({ state, sealed }) => [state.agentId, sealed.values()]))
  const checkpoints = placed.map(({ checkpoint, sentBy }): SentCheckpoint => {
    const seal = seals.get(checkpoint.agentId)?.next().value
    if (seal === undefined) throw new Error('a checkpoint was not sealed')
    return { checkpoint, seal, sentBy }
  })
  return { checkpoints, states }
}

function sealedHead(head: Head, state: ChainState | undefined): Head {
  if (state === undefined) return head
  const { length, chainHash, leafCount, edge } = state
  return { ...head, length, chainHash, leafCount, edge }
}
