import type { PinnableTool } from '@touchstone/protocol/policy'
import { sql } from 'kysely'
import { type Db, offsetOf, type Page, type PageRequest } from '../../../kernel/db.ts'
import type { AgentId } from '../../../kernel/ids.ts'
import type { ToolPin } from './tool-pin.ts'

type Row = {
  org_id: string
  agent_id: string
  server: string
  tool: string
  definition: string
  sha256: string
  pinned_at: Date
  pinned_by: string | null
  changed_definition: string | null
  changed_sha256: string | null
  changed_at: Date | null
}

type PinTables = { tool_pin: Row }

export type AgentOfOrg = { orgId: string; agentId: string }

export type PinFilter = { server: string | undefined; isChanged: boolean | undefined }

export function createToolPinStore(db: Db) {
  const q = db.withTables<PinTables>()
  const ofAgent = ({ orgId, agentId }: AgentOfOrg) =>
    q.selectFrom('tool_pin').where('org_id', '=', orgId).where('agent_id', '=', agentId)

  return {
    /**
     * Pins the tools that are new, and notes a definition that differs from the pinned one and from the
     * noted one. One statement, so that of two reports at the same time the later sees the pins of the
     * first. The names must be distinct. Returns the tools that were written.
     */
    async observe(
      { orgId, agentId }: AgentOfOrg,
      server: string,
      { tools, now }: { tools: readonly PinnableTool[]; now: Date },
    ): Promise<{ tool: string; isNew: boolean }[]> {
      const rows = await q
        .insertInto('tool_pin')
        .values(
          tools.map(({ definition, text, sha256 }) => ({
            org_id: orgId,
            agent_id: agentId,
            server,
            tool: definition.name,
            definition: text,
            sha256,
            pinned_at: now,
          })) as Row[],
        )
        .onConflict((conflict) =>
          conflict
            .columns(['org_id', 'agent_id', 'server', 'tool'])
            .doUpdateSet((of) => ({
              changed_definition: of.ref('excluded.definition'),
              changed_sha256: of.ref('excluded.sha256'),
              changed_at: of.ref('excluded.pinned_at'),
            }))
            .where(
              sql<boolean>`tool_pin.sha256 <> excluded.sha256
                and tool_pin.changed_sha256 is distinct from excluded.sha256`,
            ),
        )
        .returning(['tool', 'changed_sha256'])
        .execute()
      return rows.map((row) => ({ tool: row.tool, isNew: row.changed_sha256 === null }))
    },

    /** Locks the row until the transaction ends. */
    async find(of: AgentOfOrg, server: string, tool: string): Promise<ToolPin | undefined> {
      const row = await ofAgent(of)
        .selectAll()
        .where('server', '=', server)
        .where('tool', '=', tool)
        .forUpdate()
        .executeTakeFirst()
      return row && toPin(row)
    },

    /** Changed tools first, then by server and name. */
    async list(of: AgentOfOrg, filter: PinFilter, request: PageRequest): Promise<Page<ToolPin>> {
      let rows = ofAgent(of)
      if (filter.server !== undefined) rows = rows.where('server', '=', filter.server)
      if (filter.isChanged !== undefined) {
        rows = rows.where('changed_sha256', filter.isChanged ? 'is not' : 'is', null)
      }
      const { total } = await rows
        .select(sql<number>`count(*)`.as('total'))
        .executeTakeFirstOrThrow()
      const items = await rows
        .selectAll()
        .orderBy(sql`changed_sha256 is null`)
        .orderBy('server')
        .orderBy('tool')
        .limit(request.perPage)
        .offset(offsetOf(request))
        .execute()
      return { ...request, items: items.map(toPin), total }
    },

    async update({ orgId, agentId }: AgentOfOrg, pin: ToolPin): Promise<void> {
      await q
        .updateTable('tool_pin')
        .set({
          definition: pin.definition,
          sha256: pin.sha256,
          pinned_at: pin.pinnedAt,
          pinned_by: pin.pinnedBy,
          changed_definition: pin.change?.definition ?? null,
          changed_sha256: pin.change?.sha256 ?? null,
          changed_at: pin.change?.seenAt ?? null,
        })
        .where('org_id', '=', orgId)
        .where('agent_id', '=', agentId)
        .where('server', '=', pin.server)
        .where('tool', '=', pin.tool)
        .execute()
    },

    /** The changed tools of an agent, by server. */
    async listChanged(agentId: string): Promise<{ server: string; tool: string }[]> {
      return q
        .selectFrom('tool_pin')
        .select(['server', 'tool'])
        .where('agent_id', '=', agentId)
        .where('changed_sha256', 'is not', null)
        .execute()
    },

    /** The other tools that are pinned of this server, and the agent's other servers. */
    async countOthers(
      of: AgentOfOrg,
      server: string,
      names: readonly string[],
    ): Promise<{ tools: number; servers: number }> {
      const row = await ofAgent(of)
        .select([
          sql<number>`count(*) filter (where server = ${server} and tool <> all(${names}))`.as(
            'tools',
          ),
          sql<number>`count(distinct server) filter (where server <> ${server})`.as('servers'),
        ])
        .executeTakeFirstOrThrow()
      return { tools: row.tools, servers: row.servers }
    },

    async deleteOfAgent(agentId: AgentId): Promise<void> {
      await q.deleteFrom('tool_pin').where('agent_id', '=', agentId).execute()
    },
  }
}

function toPin(row: Row): ToolPin {
  const { changed_definition: definition, changed_sha256: sha256, changed_at: seenAt } = row
  return {
    server: row.server,
    tool: row.tool,
    definition: row.definition,
    sha256: row.sha256,
    pinnedAt: row.pinned_at,
    pinnedBy: row.pinned_by,
    change:
      definition === null || sha256 === null || seenAt === null
        ? null
        : { definition, sha256, seenAt },
  }
}
