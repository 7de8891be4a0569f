import { type RawBuilder, sql } from 'kysely'

/** For a statement of somebody else's, until whose end none of them is erased. */
export function keptAgents(agentIds: readonly string[]): RawBuilder<{ agent_id: string }> {
  return sql`select agent_id from agent where agent_id = any(${agentIds}::text[])
    order by agent_id for key share`
}
