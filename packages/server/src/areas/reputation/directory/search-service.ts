import type { Db } from '../../../kernel/db.ts'
import { offsetOf, type Page, type PageRequest } from '../../../kernel/db.ts'
import type { ListedEntry } from './entry.ts'
import { createListing, type Listing, type Search } from './listing.ts'
import { createDirectoryStore, type Moment } from './store.ts'

/** Entries that are read and put in order at once: about 20 ms, which other requests can wait for. */
const READ_AT_ONCE = 2000

/** Searches a listing in memory, which is brought up to date before each answer. */
export function createSearch({ db }: { db: Db }) {
  const follow = createFollower(db)
  const latest = eachAfterTheOther(follow)
  return async (search: Search, request: PageRequest): Promise<Page<ListedEntry>> => {
    const listing = await latest()
    const part = { offset: offsetOf(request), limit: request.perPage }
    return { ...request, ...listing.find(search, part) }
  }
}

/** Read when it is first asked for; from then on only what changed. */
function createFollower(db: Db): () => Promise<Listing> {
  const store = createDirectoryStore(db)
  let held: { listing: Listing; seen: Moment } | undefined

  const readAll = async () => {
    // INVARIANT: the moment comes first. What changes while all is read, is read again after it.
    const seen = await store.moment()
    const listing = createListing()
    let after = ''
    for (;;) {
      const entries = await store.listListed(after, READ_AT_ONCE)
      listing.apply(entries.map((entry) => ({ agentId: entry.agentId, entry })))
      const last = entries.at(-1)
      if (last === undefined || entries.length < READ_AT_ONCE) return { listing, seen }
      after = last.agentId
    }
  }

  return async () => {
    for (;;) {
      const before = held
      const { listing, seen } = before ?? (await readAll())
      const { now, complete, agentIds } = await store.changesSince(seen)
      // What was read only just now cannot be too old, whatever the floor says.
      held = complete || before === undefined ? { listing, seen } : undefined
      if (held === undefined) continue
      // Should reading break off from here on, what is put in twice is right all the same.
      for (let from = 0; from < agentIds.length; from += READ_AT_ONCE) {
        const part = agentIds.slice(from, from + READ_AT_ONCE)
        const entries = await store.listListedAmong(part)
        const byId = new Map(entries.map((entry) => [entry.agentId, entry]))
        listing.apply(part.map((agentId) => ({ agentId, entry: byId.get(agentId) })))
      }
      held = { listing, seen: now }
      return listing
    }
  }
}

/**
 * INVARIANT: nobody gets the outcome of work that began before they asked. Those who ask while it
 * is under way share the next.
 */
function eachAfterTheOther<T>(work: () => Promise<T>): () => Promise<T> {
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
