import type {
  AssuranceLevel,
  ComponentKey,
  Confidence,
  DirectoryRank,
  Grade,
  Tier,
} from '@touchstone/protocol/score'

/** A published score, as the directory receives it. */
export type PublishedScore = {
  agentId: string
  score: number
  grade: Grade
  tier: Tier
  confidence: Confidence
  checkpointCount: number
  trend30d: number
  /** Null if the score was computed before there was assurance. */
  assurance: AssuranceLevel | null
  assuredScore: number | null
  components: Readonly<Record<ComponentKey, number>>
  /** Violations of the last 90 days before the score was computed. */
  reclassified: { cardGaps: number; violations: number }
}

/** An agent with a published score. */
export type Entry = PublishedScore &
  DirectoryRank & {
    orgId: string
    visibility: 'public' | 'unlisted' | 'private'
    claimed: boolean
  }

/** The part of an entry that a search returns. */
export type IndexedEntry = Omit<Entry, 'components'>

/** Finds public agents, and the unlisted ones of `orgId`. */
export type EntryFilter = {
  orgId: string
  grade: Grade | undefined
  confidence: Confidence | undefined
  /** At least this level. */
  assurance: AssuranceLevel | undefined
}
