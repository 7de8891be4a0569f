import {
  contentKeyOf,
  isSynthetic,
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
import { isEligible } from '@touchstone/protocol/score'
import type { Clock } from '../../../kernel/clock.ts'
import type { Db } from '../../../kernel/db.ts'
import { createAppendStore, type KnownDecision, type SessionWindow } from './append-store.ts'
import { type Head, scoringSetSize } from './head.ts'
import { type AnalysedDecision, type Placed, place } from './placement.ts'
import type { Attestation, ChainState, Signer } from './ports.ts'
import { type DriftStep, newSession, type Session } from './session.ts'
import { createCheckpointStore } from './store.ts'

export type AppendDeps = {
  db: Db
  clock: Clock
  attestation: Attestation
  antiGaming: 'exclude' | 'record'
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
  /** The agent was archived while the decision was analysed. */
  | { kind: 'closed' }
  /** The id belongs to a stored decision, which may be the same one. */
  | { kind: 'taken'; by: KnownDecision }

/** Appends analysed decisions to the chains of their agents. */
export function createAppendService(deps: AppendDeps) {
  return {
    /** The stored decisions among these ids. */
    findKnown: (checkpointIds: readonly string[]): Promise<KnownDecision[]> =>
      createAppendStore(deps.db).known(checkpointIds),

    /** The window of a session as a decision of this time would find it. */
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

    /** The checkpoint a decision would become, without anti-gaming flags. Stores nothing. */
    async preview(
      analysed: AnalysedDecision,
    ): Promise<
      | { checkpoint: SealedCheckpoint['checkpoint']; window: WindowSummary; session: Session }
      | undefined
    > {
      const around = await findSession(deps.db, analysed.decision)
      const head = await createCheckpointStore(deps.db).findHead(analysed.decision.agentId)
      if (head === undefined) return undefined
      const rules = { antiGaming: 'record', now: deps.clock.now() } as const
      const placed = place(analysed, { head: { ...head, recentAt: [] }, ...around }, [], rules)
      return { checkpoint: placed.checkpoint, window: placed.summary, session: around.session }
    },

    /**
     * Appends decisions in the order given and locks their chains until the transaction ends.
     * Throws a unique violation of `checkpoint_owner_pkey` if a concurrent transaction takes one of
     * the ids.
     */
    async append(
      tx: Db,
      signer: Signer,
      decisions: readonly AnalysedDecision[],
    ): Promise<{ results: AppendResult[]; newlyEligible: string[] }> {
      const history = await lockHistory(tx, decisions)
      const now = deps.clock.now()
      const rules = { antiGaming: deps.antiGaming, now }
      const outcomes = decisions.map(
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
      await createAppendStore(tx).save({
        checkpoints: sealed.checkpoints,
        sessions: history.sessions(),
        heads: history.heads().map((head) => sealedHead(head, sealed.states.get(head.agentId))),
      })
      const checkpoints = sealed.checkpoints.values()
      const results = outcomes.map((one) =>
        isPlaced(one) ? toAppended(one, checkpoints.next().value) : one,
      )
      return { results, newlyEligible: history.newlyEligible() }
    },
  }
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
async function lockHistory(tx: Db, decisions: readonly AnalysedDecision[]) {
  const store = createAppendStore(tx)
  const lockedHeads = await store.lockHeads([
    ...new Set(decisions.map(({ decision }) => decision.agentId)),
  ])
  const chosenIds = decisions.flatMap(({ decision }) => decision.checkpointId ?? [])
  const taken = new Map<string, KnownDecision>()
  for (const one of await store.known(chosenIds)) taken.set(one.checkpointId, one)
  const sessions = new Map<string, SessionWindow>()
  for (const one of await store.sessions(sessionsOf(decisions))) {
    sessions.set(keyOf(one.session), one)
  }
  const twins = await store.twins(decisions.map(contentOf), TWINS_MIN)
  const added = new Map<string, Date[]>()
  const heads = new Map(lockedHeads)

  return {
    lockedHeads,
    heads: (): Head[] => [...heads.values()],
    /** Agents that have just reached the number of checkpoints a score needs. */
    newlyEligible: (): string[] =>
      [...heads.values()].flatMap(({ agentId, counts }) => {
        const before = lockedHeads.get(agentId)
        const was = before !== undefined && isEligible(scoringSetSize(before.counts))
        return !was && isEligible(scoringSetSize(counts)) ? [agentId] : []
      }),
    sessions: (): Session[] => [...sessions.values()].map((one) => one.session),

    refusal({ checkpointId, decision }: AnalysedDecision) {
      const head = heads.get(decision.agentId)
      if (head === undefined) return { kind: 'no_chain' } as const
      if (head.closed) return { kind: 'closed' } as const
      const by = taken.get(checkpointId)
      return by === undefined ? undefined : ({ kind: 'taken', by } as const)
    },

    add(analysed: AnalysedDecision, index: number, rules: Parameters<typeof place>[3]): Placed {
      const { decision, checkpointId } = analysed
      const { agentId, sessionId, thinkingHash, outputHash, timestamp } = decision
      const head = heads.get(agentId)
      if (head === undefined) throw new Error(`the chain of ${agentId} is not locked`)
      const around = sessions.get(keyOf(decision)) ?? {
        session: newSession(agentId, sessionId),
        window: [],
      }
      const content = `${agentId} ${contentOf(analysed).contentKey}`
      const sameInBatch = added.get(content) ?? []
      const times = [...(twins[index] ?? []), ...sameInBatch]
      const { session, window } = around
      const placed = place(analysed, { head, session, window }, times, rules)
      const { after } = placed
      heads.set(agentId, after.head)
      // Without the head: the agent's other sessions advance it, too.
      sessions.set(keyOf(decision), { session: after.session, window: after.window })
      taken.set(checkpointId, { checkpointId, agentId, sessionId, thinkingHash, outputHash })
      if (!isSynthetic(analysed.examination)) added.set(content, [...sameInBatch, timestamp])
      return placed
    },
  }
}

function keyOf({ agentId, sessionId }: SessionKey): string {
  return `${agentId} ${sessionId}`
}

function sessionsOf(decisions: readonly AnalysedDecision[]): SessionKey[] {
  const sessions = new Map(decisions.map(({ decision }) => [keyOf(decision), decision]))
  return [...sessions.values()]
}

function contentOf({ decision }: AnalysedDecision) {
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
  const checkpoints = placed.map(({ checkpoint }): SealedCheckpoint => {
    const seal = seals.get(checkpoint.agentId)?.next().value
    if (seal === undefined) throw new Error('a checkpoint was not sealed')
    return { checkpoint, seal }
  })
  return { checkpoints, states }
}

function sealedHead(head: Head, state: ChainState | undefined): Head {
  if (state === undefined) return head
  const { length, chainHash, leafCount, edge } = state
  return { ...head, length, chainHash, leafCount, edge }
}
