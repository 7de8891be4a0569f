import { type Actor, type Audit, SYSTEM_ACTOR } from '../../../audit.ts'
import type { Clock } from '../../../kernel/clock.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import type { Events } from '../../../kernel/events.ts'
import { type AgentId, newId } from '../../../kernel/ids.ts'
import type { Notices } from '../../../kernel/notices.ts'
import { Problem } from '../../../kernel/problem.ts'
import type { LogQueue } from '../../../log-record.ts'
import { autoPauseReason, type ContainmentAction, moveFrom, runAtThreshold } from './containment.ts'
import { hashedMove, type LogEntry, linkMove } from './containment-log.ts'
import type { Agents, Checkpoints } from './ports.ts'
import {
  type Contained,
  createKnownStates,
  type KnownStates,
  type State,
  stateAfter,
} from './state-service.ts'
import { createContainmentStore } from './store.ts'

/** Entries shown with an agent (spec: control §2.2). */
const LOG_SHOWN_MAX = 50

export type ContainmentDeps = {
  db: Db
  clock: Clock
  audit: Audit
  events: Events
  notices: Notices
  agents: Agents
  checkpoints: Checkpoints
  log: LogQueue
}

export type Org = { orgId: string; accountId: string }

type AgentOfOrg = { orgId: string; agentId: string }

export type Containment = { state: State; threshold: number | null; log: readonly LogEntry[] }

export type ContainmentService = ReturnType<typeof createContainmentService>

export function createContainmentService(deps: ContainmentDeps) {
  const states = createKnownStates(deps)
  const moves = createMoves(deps, states)
  const queries = createQueries(deps)
  return {
    move: moves.move,
    setThreshold: moves.setThreshold,
    get: queries.get,
    assertFree: queries.assertFree,
    /** For decisions about tool calls: cached until the state changes. */
    stateOf: states.find,
    onStateChange: states.onChange,
    watcher: createWatcher(deps, states),

    /** Changes by the id of the entry, each as it was hashed and with the hash before it. */
    async entriesOf(
      wanted: readonly { agentId: string; entryId: string }[],
    ): Promise<ReadonlyMap<string, object>> {
      const found = await createContainmentStore(deps.db).findEntries(wanted)
      return new Map(
        found.map((one) => [one.id, { entry: hashedMove(one), previous: one.prevHash }]),
      )
    },

    /** Erases the agent's containment log. */
    async erase(tx: Db, agentId: AgentId): Promise<void> {
      await createContainmentStore(tx).deleteOfAgent(agentId)
      await states.invalidate(tx, agentId)
    },
  }
}

export type ManualAction = Exclude<ContainmentAction, 'auto_pause'>

type Move = { action: ContainmentAction; reason: string | null; actor: Actor }

function createMoves(deps: ContainmentDeps, states: KnownStates) {
  return {
    /** Concurrent moves are serialised; later ones see the status left by the first. */
    async move(org: Org, agentId: string, move: Move & { action: ManualAction }): Promise<State> {
      const after = await transact(deps.db, async (tx) => {
        await deps.agents.lockControl(tx, { orgId: org.orgId, agentId })
        const last = await createContainmentStore(tx).findLast(agentId)
        return stateAfter(await append(deps, tx, states, { org, agentId, last, move }))
      })
      states.evict(agentId)
      return after
    },

    /** Null disables automatic containment. */
    async setThreshold(agent: AgentOfOrg, threshold: number | null, actor: Actor): Promise<void> {
      await transact(deps.db, async (tx) => {
        const before = await deps.agents.lockControl(tx, agent)
        const { autoContainmentThreshold: from } = before
        if (from === threshold) return
        await deps.agents.setAutoContainment(tx, agent.agentId, threshold)
        await deps.audit.record(tx, {
          orgId: agent.orgId,
          action: 'agent.containment_policy_changed',
          actor,
          target: { type: 'agent', id: agent.agentId },
          changes: { auto_containment_threshold: { from, to: threshold } },
        })
      })
    },
  }
}

type Appended = { org: Org; agentId: string; last: LogEntry | undefined; move: Move }

/** INVARIANT: the agent is locked, so no other entry can link to the same predecessor. */
async function append(
  deps: ContainmentDeps,
  tx: Db,
  states: KnownStates,
  { org, agentId, last, move: { action, reason, actor } }: Appended,
): Promise<LogEntry> {
  const { status } = stateAfter(last)
  const move = moveFrom(status, action)
  if (move === undefined) {
    const message = `An agent that is ${status} does not allow ${action}.`
    const details = [{ path: '', code: 'status', message }]
    throw new Problem('invalid_request', message, { details })
  }
  const moved = {
    id: newId('ctl'),
    action,
    actor: actor.id,
    reason,
    previousStatus: status,
    newStatus: move.to,
    createdAt: deps.clock.now(),
  }
  const entry = linkMove(moved, last)
  const chainLength = await deps.checkpoints.chainLength(tx, agentId)
  await createContainmentStore(tx).insert(agentId, entry, chainLength)
  await deps.log.add(tx, [
    {
      type: 'containment',
      recordId: entry.id,
      orgId: org.orgId,
      agentId,
      record: { agent_id: agentId, entry_hash: entry.entryHash },
      at: entry.createdAt,
    },
  ])
  await deps.agents.setStatus(tx, agentId, move.to)
  await deps.events.emit(tx, {
    type: move.event,
    orgId: org.orgId,
    accountId: org.accountId,
    data: {
      agent_id: agentId,
      org_id: org.orgId,
      action,
      actor: actor.id,
      reason,
      previous_status: status,
      new_status: move.to,
    },
  })
  // Recorded without the reason, because the audit log outlives the agent.
  await deps.audit.record(tx, {
    orgId: org.orgId,
    action: move.recorded,
    actor,
    target: { type: 'agent', id: agentId },
    changes: { status: { from: status, to: move.to } },
  })
  await states.invalidate(tx, agentId)
  return entry
}

function createQueries(deps: ContainmentDeps) {
  return {
    async get(agent: AgentOfOrg): Promise<Containment> {
      const found = await deps.agents.findControl(deps.db, agent.agentId)
      if (found?.orgId !== agent.orgId) throw new Problem('agent_not_found', 'No such agent.')
      const log = await createContainmentStore(deps.db).list(agent.agentId, LOG_SHOWN_MAX)
      return { state: stateAfter(log[0]), threshold: found.autoContainmentThreshold, log }
    },

    /**
     * Throws while the agent is contained. The caller holds the agent's lock, so the state is
     * stable.
     */
    async assertFree(tx: Db, { agentId }: AgentOfOrg): Promise<void> {
      const state = stateAfter(await createContainmentStore(tx).findLast(agentId))
      if (state.status !== 'active') throw containmentError(agentId, state)
    },
  }
}

/** The error body for contained agents (spec: control §2.2). */
function containmentError(agentId: string, { status, containedAt }: Contained): Problem {
  return new Problem('forbidden', `Agent is ${status}`, {
    fields: {
      type: 'containment_error',
      reason: status === 'paused' ? 'agent_paused' : 'agent_killed',
      agent_id: agentId,
      containment_status: status,
      contained_at: containedAt.toISOString(),
    },
  })
}

type Arriving = {
  agent: { agentId: string; autoContainmentThreshold: number | null }
  verdict: string
  analysed: boolean
}

type Stored = Arriving & { org: Org; position: number }

/** Pauses agents automatically, in the transaction that stores their checkpoints. */
function createWatcher(deps: ContainmentDeps, states: KnownStates) {
  return {
    async prepare(tx: Db, arriving: readonly Arriving[]): Promise<void> {
      const agentIds = atRisk(arriving)
      if (agentIds.length > 0) await deps.agents.lockControls(tx, agentIds)
    },

    async follow(tx: Db, stored: readonly Stored[]): Promise<void> {
      for (const agentId of atRisk(stored)) {
        const own = stored.filter(({ agent, analysed }) => analysed && agent.agentId === agentId)
        await pauseAtThreshold(deps, tx, states, own)
      }
    },

    settled(stored: readonly Arriving[]): void {
      for (const agentId of atRisk(stored)) states.evict(agentId)
    },
  }
}

/** Agents that could reach their threshold: those with a threshold and a new violation. */
function atRisk(arriving: readonly Arriving[]): string[] {
  const found = arriving.filter(
    ({ agent, verdict, analysed }) =>
      analysed && verdict === 'boundary_violation' && agent.autoContainmentThreshold !== null,
  )
  return [...new Set(found.map(({ agent }) => agent.agentId))]
}

/** `own` are the stored checkpoints of one agent, in chain order. */
async function pauseAtThreshold(
  deps: ContainmentDeps,
  tx: Db,
  states: KnownStates,
  own: readonly Stored[],
): Promise<void> {
  const [first] = own
  if (first === undefined) return
  const { org, position: before } = first
  const { agentId } = first.agent
  const store = createContainmentStore(tx)
  const last = await store.findLast(agentId)
  if (stateAfter(last).status !== 'active') return
  // Read again under the lock: the threshold passed with the checkpoint may be stale.
  const threshold = (await deps.agents.findControl(tx, agentId))?.autoContainmentThreshold
  if (threshold == null) return
  const from = await store.freedAt(agentId)
  const runBefore = await deps.checkpoints.violationsBefore(tx, { agentId, from, before })
  const verdicts = own.map(({ verdict }) => verdict)
  const run = runAtThreshold(runBefore, verdicts, threshold)
  if (run === undefined) return
  const move = { action: 'auto_pause', reason: autoPauseReason(run), actor: SYSTEM_ACTOR } as const
  await append(deps, tx, states, { org, agentId, last, move })
}
