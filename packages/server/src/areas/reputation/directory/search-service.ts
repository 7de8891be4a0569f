import type { Db } from '../../../kernel/db.ts'
import { offsetOf, type Page, type PageRequest } from '../../../kernel/db.ts'
import { createDirectoryIndex, type DirectoryIndex, type Search } from './directory-index.ts'
import type { IndexedEntry } from './entry.ts'
import { createDirectoryStore, type Snapshot } from './store.ts'

/** Entries read and indexed per batch: about 20 ms, short enough not to delay other requests. */
const BATCH_ROWS = 2000

/** Searches an in-memory index, which is brought up to date before each search. */
export function createSearch({ db }: { db: Db }) {
  const refresh = coalesceCalls(createRefresh(db))
  return async (search: Search, request: PageRequest): Promise<Page<IndexedEntry>> => {
    const index = await refresh()
    const slice = { offset: offsetOf(request), limit: request.perPage }
    return { ...request, ...index.find(search, slice) }
  }
}

/** Reads all entries on the first call, and only the changes on later ones. */
function createRefresh(db: Db): () => Promise<DirectoryIndex> {
  const store = createDirectoryStore(db)
  let cached: { index: DirectoryIndex; seen: Snapshot } | undefined

  const readAll = async () => {
    // INVARIANT: the snapshot is taken first, so that a change during the read is read again later.
    const seen = await store.currentSnapshot()
    const index = createDirectoryIndex()
    let after = ''
    for (;;) {
      const entries = await store.listListed(after, BATCH_ROWS)
      index.apply(entries.map((entry) => ({ agentId: entry.agentId, entry })))
      const last = entries.at(-1)
      if (last === undefined || entries.length < BATCH_ROWS) return { index, seen }
      after = last.agentId
    }
  }

  return async () => {
    for (;;) {
      const before = cached
      const { index, seen } = before ?? (await readAll())
      const { now, complete, agentIds } = await store.changesSince(seen)
      // An index that was just read is recent enough, even if the change log was trimmed meanwhile.
      cached = complete || before === undefined ? { index, seen } : undefined
      if (cached === undefined) continue
      // `seen` advances only after all changes are applied: applying is idempotent, so a failure
      // in between is repaired by the next call.
      for (let from = 0; from < agentIds.length; from += BATCH_ROWS) {
        const batch = agentIds.slice(from, from + BATCH_ROWS)
        const entries = await store.listListedAmong(batch)
        const byId = new Map(entries.map((entry) => [entry.agentId, entry]))
        index.apply(batch.map((agentId) => ({ agentId, entry: byId.get(agentId) })))
      }
      cached = { index, seen: now }
      return index
    }
  }
}

/**
 * Runs `work` one call at a time; calls that arrive during a run share the next run.
 * INVARIANT: no caller gets the result of a run that started before the call.
 */
function coalesceCalls<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined
  let next: Promise<T> | undefined
  const start = () => {
    next = undefined
    const started = work().finally(() => {
      if (running === started) running = undefined
    })
    running = started
    return started
  }
  return () => {
    if (running === undefined) return start()
    next ??= running.then(start, start)
    return next
  }
}
