import { bytesToBase64 } from '@touchstone/protocol/base'
import {
  type LogEntryType,
  parseLogEntry,
  rangeEdgesFromTiles,
  TILE_WIDTH,
  tileInTree,
} from '@touchstone/protocol/log'
import { DAY_MS, later } from '../../../kernel/clock.ts'
import { Problem } from '../../../kernel/problem.ts'
import { monthsOf, type Period } from './pack.ts'
import type { Checkpoint, Entries, Log } from './ports.ts'

/** Entries from `first` to `end` of the log of the checkpoint. */
export type LogRange = { first: number; end: number; checkpoint: Checkpoint }

export type OrgEntry = { index: number; type: LogEntryType; at: string }

/** The entries of an organisation are held in memory; more than this many would not fit. */
const ORG_ENTRIES_MAX = 2_000_000

/** Records wait for the log for seconds; a day is enough for an outage as well. */
const LATE_MS = DAY_MS

/**
 * The part of the log that the entries of a period are in. No entry is older than its record, so they
 * begin with the size at the start of the period. Entries before and after show readers that the range
 * covers the period.
 */
export async function rangeOf({ from, to }: Period, log: Log): Promise<LogRange> {
  const checkpoint = await log.published()
  if (checkpoint === undefined) {
    throw new Problem('not_found', 'The log has published no checkpoint yet.')
  }
  const { size } = checkpoint
  const end = Math.min(size, (await log.sizeSince(later(to, LATE_MS))) ?? size)
  const start = Math.floor((await log.sizeAt(from)) / TILE_WIDTH) - 1
  return { first: Math.min(end, Math.max(0, start * TILE_WIDTH)), end, checkpoint }
}

/** The hashes that lead from the entries of the range to the root. */
export async function edgesOf({ first, end, checkpoint: { size } }: LogRange, log: Log) {
  const { left, right } = await rangeEdgesFromTiles({ first, end, size }, log.readTile)
  return {
    first,
    end,
    size,
    left: left.map(bytesToBase64),
    right: right.map(bytesToBase64),
  }
}

/** The entries of a range that belong to the organisation and the period, and which of those were opened. */
export type OrgEntries = {
  count: number
  ofType(type: LogEntryType): readonly number[]
  /** The time of an entry of the organisation, the first time; undefined for all others. */
  open(index: number): string | undefined
  unopened(): Generator<OrgEntry>
  tags: ReadonlyMap<string, string>
}

export async function createOrgEntries(
  { orgId, period }: { orgId: string; period: Period },
  entries: Entries,
) {
  const tags = await entries.orgTags(orgId, monthsOf(period))
  const known = new Set(tags.values())
  const [from, to] = [period.from.toISOString(), period.to.toISOString()]
  const found = new Map<number, Omit<OrgEntry, 'index'>>()
  const byType = new Map<LogEntryType, number[]>()
  const orgEntries: OrgEntries = {
    get count() {
      return found.size
    },
    ofType: (type) => byType.get(type) ?? [],
    open(index) {
      const one = found.get(index)
      found.delete(index)
      return one?.at
    },
    *unopened() {
      for (const [index, one] of found) yield { index, ...one }
    },
    tags,
  }
  return {
    orgEntries,

    /** Notes an entry if it is the organisation's. */
    look(index: number, bytes: Uint8Array): void {
      const parsed = parseLogEntry(bytes)
      if (!parsed.ok) throw new Error(`entry ${index} of the log: ${parsed.reason}`)
      const { at, org, type } = parsed.value
      if (!known.has(org) || at < from || at >= to) return
      if (found.size === ORG_ENTRIES_MAX) {
        throw new Problem('limit_reached', `A pack has at most ${ORG_ENTRIES_MAX} entries.`)
      }
      found.set(index, { type, at })
      const indexes = byType.get(type)
      if (indexes === undefined) byType.set(type, [index])
      else indexes.push(index)
    },
  }
}

/** The entries of the range, bundle by bundle. */
export async function* entriesIn({ first, end, checkpoint }: LogRange, log: Log) {
  for (let at = first; at < end; ) {
    const bundle = tileInTree(0, Math.floor(at / TILE_WIDTH), checkpoint.size)
    if (bundle === undefined) throw new RangeError(`a log of ${checkpoint.size} has no entry ${at}`)
    const start = bundle.index * TILE_WIDTH
    const stop = Math.min(end, start + bundle.width)
    const all = await log.readEntries(bundle)
    yield { first: at, entries: all.slice(at - start, stop - start) }
    at = stop
  }
}
