import {
  type Benchmarks,
  benchmarks,
  type DirectorySort,
  directoryOrder,
} from '@touchstone/protocol'
import { createCache } from '../../../kernel/cache.ts'
import { type Clock, HOUR_MS } from '../../../kernel/clock.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import { offsetOf, type Page, type PageRequest } from '../../../kernel/page.ts'
import type { Entry, EntryFilter, PublishedScore } from './entry.ts'
import { pageWindow } from './page-window.ts'
import type { Agents } from './ports.ts'
import { createDirectoryStore } from './store.ts'

/** Fewer are gathered and sorted, more are counted and an index is walked: about equally dear. */
const SHARE_MAX = 0.03
const GATHERED_MAX = 3000

/** From here on it is cheaper to look at all entries than to be told of most by an index. */
const SCAN_SHARE_MIN = 0.25

/** Texts whose number of entries is remembered. */
const TOTALS_MAX = 1000

export type DirectoryDeps = { db: Db; clock: Clock; agents: Agents }

export type Search = EntryFilter & { text: string | undefined; sort: DirectorySort }

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
        await store.compactTally()
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

function createSearch(deps: DirectoryDeps) {
  const store = createDirectoryStore(deps.db)
  const totals = createCache<number>({ clock: deps.clock, entriesMax: TOTALS_MAX, ttlMs: HOUR_MS })

  const walk = async (search: Search, request: PageRequest, total: number) => {
    const { sort, text } = search
    const window = pageWindow(total, request)
    const read = (tx: Db) => createDirectoryStore(tx).walk(search, text, { sort, window })
    const found = window.limit === 0 ? [] : await transact(deps.db, read)
    return { ...request, total, items: found.sort(directoryOrder(sort)) }
  }

  const gather = async (search: Search, text: string, request: PageRequest) => {
    const part = { sort: search.sort, offset: offsetOf(request), limit: request.perPage }
    const { total, entries } = await store.gather(search, text, part)
    return { ...request, total, items: entries.sort(directoryOrder(search.sort)) }
  }

  return async (search: Search, request: PageRequest): Promise<Page<Entry>> => {
    const { orgId, text, grade, confidence } = search
    const { listed, mark } = await store.tally(search)
    if (text === undefined) return walk(search, request, listed)
    // INVARIANT: the mark is read before anything is counted, so a total is never older than it.
    const key = JSON.stringify([mark, orgId, text, grade, confidence])
    const known = totals.get(key)
    const share = known === undefined ? await store.estimateShare(text) : 0
    const isCommon = known === undefined ? share > SHARE_MAX : known > GATHERED_MAX
    if (!isCommon) {
      const page = await gather(search, text, request)
      totals.set(key, page.total)
      return page
    }
    const total =
      known ?? (await store.count(search, text, share < SCAN_SHARE_MIN ? 'index' : 'scan'))
    totals.set(key, total)
    return walk(search, request, total)
  }
}
