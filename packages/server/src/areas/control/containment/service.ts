import { type Actor, type Audit, SYSTEM_ACTOR } from '../../../audit.ts'
import type { Clock } from '../../../kernel/clock.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import type { Events } from '../../../kernel/events.ts'
import { type AgentId, newId } from '../../../kernel/ids.ts'
import type { Notices } from '../../../kernel/notices.ts'
import { Problem } from '../../../kernel/problem.ts'
import { autoPauseReason, type ContainmentAction, moveFrom, runAtThreshold } from './containment.ts'
import { type LogEntry, linkMove } from './containment-log.ts'
import type { Agents, Checkpoints } from './ports.ts'
import {
  type Contained,
  createKnownStates,
  type KnownStates,
  type State,
  stateAfter,
} from './state-service.ts'
import { createContainmentStore } from './store.ts'

/** 02 §5.2. */
const LOG_SHOWN_MAX = 50

export type ContainmentDeps = {
  db: Db
  clock: Clock
  audit: Audit
  events: Events
  notices: Notices
  agents: Agents
  checkpoints: Checkpoints
}

export type Org = { orgId: string; accountId: string }

type AgentOfOrg = { orgId: string; agentId: string }

export type Containment = { state: State; threshold: number | null; log: readonly LogEntry[] }

export type ContainmentService = ReturnType<typeof createContainmentService>

export function createContainmentService(deps: ContainmentDeps) {
  const states = createKnownStates(deps)
  return {
    ...moving(deps, states),
    ...reading(deps, states),
    ...watching(deps, states),

    /** With the agent. */
    async erase(tx: Db, agentId: AgentId): Promise<void> {
      await createContainmentStore(tx).deleteOfAgent(agentId)
      await states.tell(tx, agentId)
    },
  }
}

export type ManualAction = Exclude<ContainmentAction, 'auto_pause'>

type Move = { action: ContainmentAction; reason: string | null; actor: Actor }

function moving(deps: ContainmentDeps, states: KnownStates) {
  return {
    /** Of several at once one wins; the others find the agent where that one left it. */
    async move(org: Org, agentId: string, move: Move & { action: ManualAction }): Promise<State> {
      const after = await transact(deps.db, async (tx) => {
        await deps.agents.lockControl(tx, { orgId: org.orgId, agentId })
        const last = await createContainmentStore(tx).findLast(agentId)
        return stateAfter(await append(deps, tx, states, { org, agentId, last, move }))
      })
      states.forget(agentId)
      return after
    },

    /** Null: no number of violations stops the agent by itself. */
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

/** INVARIANT: the agent is locked, so nobody else links an entry to the same one. */
async function append(
  deps: ContainmentDeps,
  tx: Db,
  states: KnownStates,
  { org, agentId, last, move: { action, reason, actor } }: Appended,
): Promise<LogEntry> {
  const { status } = stateAfter(last)
  const move = moveFrom(status, action)
  if (move === undefined) {
    const message = `The agent is ${status}; ${action} is not possible.`
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
  // Without the reason: the audit log outlives the agent it speaks of.
  await deps.audit.record(tx, {
    orgId: org.orgId,
    action: move.recorded,
    actor,
    target: { type: 'agent', id: agentId },
    changes: { status: { from: status, to: move.to } },
  })
  await states.tell(tx, agentId)
  return entry
}

function reading(deps: ContainmentDeps, states: KnownStates) {
  return {
    async get(agent: AgentOfOrg): Promise<Containment> {
      const found = await deps.agents.findControl(deps.db, agent.agentId)
      if (found?.orgId !== agent.orgId) throw new Problem('agent_not_found', 'No such agent.')
      const log = await createContainmentStore(deps.db).list(agent.agentId, LOG_SHOWN_MAX)
      return { state: stateAfter(log[0]), threshold: found.autoContainmentThreshold, log }
    },

    /** For decisions about calls: from memory, unless something changed. */
    stateOf: states.find,
    onStateChange: states.onChange,

    /** Throws while the agent is contained. The caller has locked the agent, so it stays so. */
    async assertFree(tx: Db, { agentId }: AgentOfOrg): Promise<void> {
      const state = stateAfter(await createContainmentStore(tx).findLast(agentId))
      if (state.status !== 'active') throw containmentError(agentId, state)
    },
  }
}

/** 02 §5.2. */
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

/** Stops agents by themselves, in the transaction that stores what they did. */
function watching(deps: ContainmentDeps, states: KnownStates) {
  return {
    watcher: {
      async prepare(tx: Db, arriving: readonly Arriving[]): Promise<void> {
        const agentIds = endangered(arriving)
        if (agentIds.length > 0) await deps.agents.lockControls(tx, agentIds)
      },

      async follow(tx: Db, stored: readonly Stored[]): Promise<void> {
        for (const agentId of endangered(stored)) {
          const own = stored.filter(({ agent, analysed }) => analysed && agent.agentId === agentId)
          await pauseAtThreshold(deps, tx, states, own)
        }
      },

      settled(stored: readonly Arriving[]): void {
        for (const agentId of endangered(stored)) states.forget(agentId)
      },
    },
  }
}

/** Only a violation can stop an agent, and only one that has a threshold. */
function endangered(arriving: readonly Arriving[]): string[] {
  const found = arriving.filter(
    ({ agent, verdict, analysed }) =>
      analysed && verdict === 'boundary_violation' && agent.autoContainmentThreshold !== null,
  )
  return [...new Set(found.map(({ agent }) => agent.agentId))]
}

/** `own` are what was stored of one agent, in chain order. */
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
  // As it is now that the agent is locked; what came with the checkpoint was read before.
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
