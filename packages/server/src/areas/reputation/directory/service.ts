import { type Benchmarks, benchmarks } from '@touchstone/protocol/score'
import { type Db, transact } from '../../../kernel/db.ts'
import type { Entry, PublishedScore } from './entry.ts'
import type { Agents } from './ports.ts'
import { createSearch } from './search-service.ts'
import { createDirectoryStore } from './store.ts'

export type DirectoryDeps = { db: Db; agents: Agents }

export type DirectoryService = ReturnType<typeof createDirectoryService>

export function createDirectoryService(deps: DirectoryDeps) {
  const store = createDirectoryStore(deps.db)
  /** Locks the agents, leaving out archived ones. */
  const describe = async (tx: Db, agentIds: readonly string[]) => {
    const agents = await deps.agents.describe(tx, agentIds)
    return new Map(agents.filter((agent) => !agent.archived).map((one) => [one.agentId, one]))
  }
  return {
    search: createSearch(deps),

    /** Lists scores in the transaction that publishes them; skips those of archived agents. */
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

    /** Updates entries in the transaction that renames, hides, shows or archives agents. */
    async changed(tx: Db, agentIds: readonly string[]): Promise<void> {
      if (agentIds.length === 0) return
      const agents = await describe(tx, agentIds)
      const entries = createDirectoryStore(tx)
      await entries.saveFacts([...agents.values()])
      await entries.remove(agentIds.filter((agentId) => !agents.has(agentId)))
    },

    /** Called when a score is unpublished or an agent erased. */
    remove: (tx: Db, agentId: string): Promise<void> => createDirectoryStore(tx).remove([agentId]),

    /** Called after a run over all agents, when most rows have changed and need a vacuum. */
    async computeBenchmarks(now: Date): Promise<void> {
      await transact(deps.db, async (tx) => {
        const inTx = createDirectoryStore(tx)
        await inTx.saveBenchmarks(
          benchmarks(await inTx.publicScores(), await inTx.publicAssurances()),
          now,
        )
        await inTx.trimChanges()
      })
      await store.vacuum()
    },

    /**
     * One item per distinct id, in the given order. `entry` is undefined for an agent that is
     * unrated, unknown or private to another organisation.
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
    benchmarks: async (): Promise<Benchmarks> =>
      (await store.findBenchmarks()) ?? benchmarks([], []),
  }
}
