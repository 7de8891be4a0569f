import { mcpToolName, type PinnableTool } from '@touchstone/protocol/policy'
import type { Actor, Audit } from '../../../audit.ts'
import { createSharedCache } from '../../../kernel/cache.ts'
import { type Clock, MINUTE_MS } from '../../../kernel/clock.ts'
import { type Db, type Page, type PageRequest, transact } from '../../../kernel/db.ts'
import type { AgentId } from '../../../kernel/ids.ts'
import type { Notices } from '../../../kernel/notices.ts'
import { Problem } from '../../../kernel/problem.ts'
import type { Agents } from './ports.ts'
import { type AgentOfOrg, createToolPinStore, type PinFilter } from './store.ts'
import { resolveChange, type ToolPin, withoutDuplicates } from './tool-pin.ts'

/** Notification topic that invalidates the caches of all nodes. */
const TOPIC = 'tool_pins'

/** Agents whose changed tools are cached. */
const KEPT_MAX = 50_000

/** spec: connect §2.3. */
const TOOLS_OF_SERVER_MAX = 1000
const SERVERS_MAX = 50

export type ToolPinDeps = {
  db: Db
  clock: Clock
  notices: Notices
  audit: Audit
  agents: Agents
}

/** The tools that a server listed to an agent. */
export type ToolReport = { server: string; tools: readonly PinnableTool[] }

export type ReportResult = {
  /** Tools that were pinned now. */
  pinned: readonly string[]
  /** Tools of the report whose definition nobody has accepted. */
  changed: readonly string[]
}

export type Acceptance = { server: string; tool: string; sha256: string; actor: Actor }

export type ToolPinService = ReturnType<typeof createToolPinService>

export function createToolPinService(deps: ToolPinDeps) {
  const { db, clock, notices } = deps
  const store = createToolPinStore(db)
  const limits = { entriesMax: KEPT_MAX, ttlMs: MINUTE_MS }
  const changed = createSharedCache<ReadonlySet<string>>({
    clock,
    notices,
    topic: TOPIC,
    ...limits,
  })

  return {
    /** The tools of an agent, by their names in policies, whose definitions nobody has accepted. */
    changedTools: async (agentId: string): Promise<ReadonlySet<string>> =>
      changed.get(agentId) ??
      changed.load(agentId, async () => namesOf(await store.listChanged(agentId))),

    onChangedTools: changed.onChange,

    list: (agent: AgentOfOrg, filter: PinFilter, page: PageRequest): Promise<Page<ToolPin>> =>
      store.list(agent, filter, page),

    /** Pins tools that are seen for the first time, and notes changes of those that are pinned. */
    async report(agent: AgentOfOrg, report: ToolReport): Promise<ReportResult> {
      const { result, isChanged } = await transact(db, async (tx) => {
        await deps.agents.keepOpen(tx, agent)
        return observe(deps, tx, agent, report, changed.invalidate)
      })
      if (isChanged) changed.evict(agent.agentId)
      return result
    },

    /** Pins one of the definitions of a tool, which ends its change. */
    async accept(agent: AgentOfOrg, acceptance: Acceptance): Promise<ToolPin> {
      const pin = await transact(db, async (tx) => {
        await deps.agents.keepOpen(tx, agent)
        const accepted = await acceptIn(deps, tx, agent, acceptance)
        await changed.invalidate(tx, agent.agentId)
        return accepted
      })
      changed.evict(agent.agentId)
      return pin
    },

    /** Runs in the transaction that erases the agent. */
    async erase(tx: Db, agentId: AgentId): Promise<void> {
      await createToolPinStore(tx).deleteOfAgent(agentId)
      await changed.invalidate(tx, agentId)
    },
  }
}

function namesOf(tools: readonly { server: string; tool: string }[]): ReadonlySet<string> {
  return new Set(tools.map(({ server, tool }) => mcpToolName(server, tool)))
}

async function observe(
  { clock }: ToolPinDeps,
  tx: Db,
  agent: AgentOfOrg,
  { server, tools }: ToolReport,
  invalidate: (tx: Db, agentId: string) => Promise<void>,
): Promise<{ result: ReportResult; isChanged: boolean }> {
  const store = createToolPinStore(tx)
  const names = new Set(tools.map(({ definition }) => definition.name))
  assertRoom(server, names, await store.countOthers(agent, server, [...names]))
  const written: { tool: string; isNew: boolean }[] = []
  for (const group of withoutDuplicates(tools)) {
    // One order for all reports, so that no two deadlock.
    const sorted = group.sort((a, b) => (a.definition.name < b.definition.name ? -1 : 1))
    written.push(...(await store.observe(agent, server, { tools: sorted, now: clock.now() })))
  }
  const isChanged = written.some(({ isNew }) => !isNew)
  if (isChanged) await invalidate(tx, agent.agentId)
  const listed = await store.listChanged(agent.agentId)
  return {
    isChanged,
    result: {
      pinned: written.filter(({ isNew }) => isNew).map(({ tool }) => tool),
      changed: listed
        .filter((one) => one.server === server && names.has(one.tool))
        .map(({ tool }) => tool)
        .sort(),
    },
  }
}

function assertRoom(
  server: string,
  names: ReadonlySet<string>,
  others: { tools: number; servers: number },
): void {
  if (others.tools + names.size > TOOLS_OF_SERVER_MAX) {
    const message = `At most ${TOOLS_OF_SERVER_MAX} tools of a server are pinned; ${server} lists more.`
    throw new Problem('limit_reached', message)
  }
  if (others.servers < SERVERS_MAX) return
  throw new Problem('limit_reached', `The tools of at most ${SERVERS_MAX} servers are pinned.`)
}

async function acceptIn(
  { clock, audit }: ToolPinDeps,
  tx: Db,
  agent: AgentOfOrg,
  { server, tool, sha256, actor }: Acceptance,
): Promise<ToolPin> {
  const store = createToolPinStore(tx)
  const before = await store.find(agent, server, tool)
  if (before === undefined) throw new Problem('not_found', 'No such pinned tool.')
  const resolved = resolveChange(before, { sha256, by: actor.userId, now: clock.now() })
  if (resolved.outcome === 'stale') {
    throw new Problem(
      'conflict',
      'The definition has changed again. Read it, then accept that one.',
    )
  }
  if (before.change === null) return before
  await store.update(agent, resolved.pin)
  await audit.record(tx, {
    orgId: agent.orgId,
    action: resolved.isChanged ? 'tool_pin.accepted' : 'tool_pin.kept',
    actor,
    target: { type: 'agent', id: agent.agentId },
    changes: { [mcpToolName(server, tool)]: { from: before.sha256, to: resolved.pin.sha256 } },
  })
  return resolved.pin
}
