import { type RawBuilder, sql } from 'kysely'

/** A subquery for another feature's statement. Its lock keeps the agents from being erased. */
export function keptAgents(agentIds: readonly string[]): RawBuilder<{ agent_id: string }> {
  return sql`select agent_id from agent where agent_id = any(${agentIds}::text[])
    order by agent_id for key share`
}
