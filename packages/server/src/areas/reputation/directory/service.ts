import { type Benchmarks, benchmarks } from '@touchstone/protocol/score'
import { type Db, transact } from '../../../kernel/db.ts'
import type { Entry, PublishedScore } from './entry.ts'
import type { Agents } from './ports.ts'
import { createSearch } from './search-service.ts'
import { createDirectoryStore } from './store.ts'

export type DirectoryDeps = { db: Db; agents: Agents }

export type DirectoryService = ReturnType<typeof createDirectoryService>

export function createDirectoryService(deps: DirectoryDeps) {
  return { ...keeping(deps), ...reading(deps), search: createSearch(deps) }
}

/** In the transactions of those who know what changed. */
function keeping(deps: DirectoryDeps) {
  const describe = async (tx: Db, agentIds: readonly string[]) => {
    const agents = await deps.agents.describe(tx, agentIds)
    return new Map(agents.filter((agent) => !agent.archived).map((one) => [one.agentId, one]))
  }
  return {
    /** Scores that were published; those of archived agents are not shown. */
    async put(tx: Db, scores: readonly PublishedScore[]): Promise<void> {
      if (scores.length === 0) return
      const agents = await describe(
        tx,
        scores.map(({ agentId }) => agentId),
      )
      const entries = scores.flatMap((score): Entry[] => {
        const agent = agents.get(score.agentId)
        return agent === undefined ? [] : [{ ...score, ...agent }]
      })
      await createDirectoryStore(tx).save(entries)
    },

    /** What the agents are called, who sees them, or whether they still are. */
    async changed(tx: Db, agentIds: readonly string[]): Promise<void> {
      if (agentIds.length === 0) return
      const agents = await describe(tx, agentIds)
      const store = createDirectoryStore(tx)
      await store.saveFacts([...agents.values()])
      await store.remove(agentIds.filter((agentId) => !agents.has(agentId)))
    },

    /** The score is no longer published, or the agent no more. */
    remove: (tx: Db, agentId: string): Promise<void> => createDirectoryStore(tx).remove([agentId]),

    /** After a run over all agents, which is also when most rows have changed. */
    async computeBenchmarks(now: Date): Promise<void> {
      await transact(deps.db, async (tx) => {
        const store = createDirectoryStore(tx)
        await store.saveBenchmarks(benchmarks(await store.publicScores()), now)
        await store.forgetChanges()
      })
      await createDirectoryStore(deps.db).tidy()
    },
  }
}

function reading(deps: DirectoryDeps) {
  const store = createDirectoryStore(deps.db)
  return {
    /**
     * One for each distinct id, in the order given; undefined when there is nothing to show, be
     * the agent unrated, unknown or another organisation's secret.
     */
    async list(
      orgId: string,
      agentIds: readonly string[],
    ): Promise<{ agentId: string; entry: Entry | undefined }[]> {
      const distinct = [...new Set(agentIds)]
      const shown = await store.listShown(orgId, distinct)
      const byId = new Map(shown.map((entry) => [entry.agentId, entry]))
      return distinct.map((agentId) => ({ agentId, entry: byId.get(agentId) }))
    },

    /** As of the last run over all agents. */
    benchmarks: async (): Promise<Benchmarks> => (await store.findBenchmarks()) ?? benchmarks([]),
  }
}
