import type { PageRequest } from '../../../kernel/db.ts'
import { Problem } from '../../../kernel/problem.ts'
import type { Agents, Anchors, Publications } from './ports.ts'

export type RecordDeps = { agents: Agents; anchors: Anchors; publications: Publications }

export type RecordService = ReturnType<typeof createRecordService>

/** The service's transactions on the chain, read from the database without querying the chain. */
export function createRecordService({ agents, anchors, publications }: RecordDeps) {
  return {
    async status(agentId: string, orgIds: readonly string[]) {
      await agents.get(agentId, orgIds).catch((err: unknown) => {
        if (!(err instanceof Problem) || err.code !== 'agent_not_found') throw err
        throw new Problem('not_found', 'No such agent.')
      })
      const score = await publications.latestOf(agentId)
      const anchor = await anchors.latestCovering(agentId)
      const times = [score?.publishedAt, anchor?.anchoredAt].filter((at) => at !== undefined)
      const lastUpdated = times.sort((a, b) => b.getTime() - a.getTime())[0]
      return { agentId, score, anchor, lastUpdated }
    },

    async history(orgId: string, page: PageRequest) {
      return {
        anchors: await anchors.list(orgId, page),
        publications: await publications.list(orgId, page),
      }
    },
  }
}
