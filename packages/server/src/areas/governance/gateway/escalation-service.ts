import type { Actor, Audit } from '../../../audit.ts'
import { type Clock, DAY_MS, later } from '../../../kernel/clock.ts'
import type { Page, PageRequest } from '../../../kernel/db.ts'
import { type Db, purgeInPages, transact } from '../../../kernel/db.ts'
import type { Events } from '../../../kernel/events.ts'
import { type AgentId, newId } from '../../../kernel/ids.ts'
import { Problem } from '../../../kernel/problem.ts'
import {
  type Escalation,
  type EscalationStatus,
  type NewEscalation,
  openEscalation,
  statusAt,
} from './escalation.ts'
import { escalationEvent, type PolicyFindings } from './escalation-event.ts'
import type { Agents, Audience } from './ports.ts'
import { createEscalationStore } from './store.ts'

/** Decided: as long as evaluations, so that a decision can be read with what was asked. */
const KEPT_MS = 90 * DAY_MS

/** Somebody may answer the pending one between two looks, but hardly ever twice. */
const TRIES_MAX = 5

export type EscalationDeps = {
  db: Db
  clock: Clock
  audit: Audit
  events: Events
  agents: Agents
  audience: Audience
}

/** The organisation whose agents are spoken of. */
export type Org = { orgId: string; accountId: string }

export type EscalationFilter = {
  orgId: string
  agentId: string | undefined
  status: EscalationStatus | undefined
}

export type Escalations = ReturnType<typeof createEscalations>

/** Questions to people: asked by decisions, answered once, used once. */
export function createEscalations(deps: EscalationDeps) {
  return { ...asking(deps), ...answering(deps), ...ending(deps) }
}

function asking(deps: EscalationDeps) {
  const ask = async (
    tx: Db,
    escalation: Escalation,
  ): Promise<{ escalation: Escalation; isNew: boolean }> => {
    const store = createEscalationStore(tx)
    for (let tries = 0; tries < TRIES_MAX; tries += 1) {
      await store.expire(escalation, escalation.createdAt)
      if (await store.insert(escalation)) return { escalation, isNew: true }
      const pending = await store.findPending(escalation)
      if (pending !== undefined) return { escalation: pending, isNew: false }
    }
    throw new Error('an escalation could be neither made nor found')
  }
  return {
    /** The one that is pending about the same, else a new one, which is announced. */
    async open(
      org: Org,
      asked: Omit<NewEscalation, 'escalationId' | 'orgId'>,
      policy: PolicyFindings | null,
    ): Promise<Escalation> {
      const { orgId } = org
      const wanted = { ...asked, orgId, escalationId: newId('esc') }
      return transact(deps.db, async (tx) => {
        await deps.agents.hear(tx, { agentId: asked.agentId, orgId })
        const fresh = openEscalation(wanted, deps.clock.now())
        const { escalation, isNew } = await ask(tx, fresh)
        if (isNew) await deps.events.emit(tx, { ...org, ...escalationEvent(escalation, policy) })
        return escalation
      })
    },

    /** As it was written last. */
    findStored: (escalationId: string): Promise<Escalation | undefined> =>
      createEscalationStore(deps.db).find(escalationId),

    /** True for exactly one of all who ask. */
    use: (escalationId: string): Promise<boolean> =>
      transact(deps.db, (tx) => createEscalationStore(tx).use(escalationId, deps.clock.now())),
  }
}

function answering(deps: EscalationDeps) {
  const store = createEscalationStore(deps.db)
  /** With the status that holds now. */
  const seen = (escalation: Escalation): Escalation => ({
    ...escalation,
    status: statusAt(escalation, deps.clock.now()),
  })
  return {
    /** Whose it is decides the caller's side, which alone knows who asks. */
    async find(escalationId: string): Promise<Escalation | undefined> {
      const found = await store.find(escalationId)
      return found && seen(found)
    },

    async list(filter: EscalationFilter, page: PageRequest): Promise<Page<Escalation>> {
      const found = await store.list({ ...filter, now: deps.clock.now() }, page)
      return { ...found, items: found.items.map(seen) }
    },

    async resolve(
      { escalationId, orgId }: Escalation,
      answer: { outcome: 'approve' | 'reject'; note: string | null },
      actor: Actor,
    ): Promise<Escalation> {
      const status = answer.outcome === 'approve' ? 'approved' : 'rejected'
      const resolvedAt = deps.clock.now()
      const resolved = await transact(deps.db, async (tx) => {
        const resolution = {
          status,
          resolvedBy: actor.userId,
          resolvedAt,
          note: answer.note,
        } as const
        const resolved = await createEscalationStore(tx).resolve(escalationId, resolution)
        if (resolved === undefined) {
          throw new Problem('conflict', 'The escalation is not pending any more.')
        }
        await deps.audit.record(tx, {
          orgId,
          action: 'escalation.resolved',
          actor,
          target: { type: 'escalation', id: escalationId },
          changes: { status: { from: 'pending', to: status } },
        })
        return resolved
      })
      deps.audience.tell(orgId, () => ({
        type: 'escalation.resolved',
        at: resolvedAt,
        data: { escalation_id: escalationId, agent_id: resolved.agentId, status },
      }))
      return resolved
    },
  }
}

function ending(deps: EscalationDeps) {
  return {
    purge: (now: Date): Promise<number> =>
      purgeInPages((rowsMax) =>
        createEscalationStore(deps.db).deleteEnded(later(now, -KEPT_MS), rowsMax),
      ),

    /** With the agent. */
    erase: (tx: Db, agentId: AgentId): Promise<void> =>
      createEscalationStore(tx).deleteOfAgent(agentId),
  }
}

export function noEscalation(): Problem {
  return new Problem('not_found', 'No such escalation.')
}
