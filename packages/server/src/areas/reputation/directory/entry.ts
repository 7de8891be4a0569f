import type {
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
  components: Readonly<Record<ComponentKey, number>>
}

/** An agent with a published score. */
export type Entry = PublishedScore &
  DirectoryRank & {
    orgId: string
    visibility: 'public' | 'unlisted' | 'private'
    claimed: boolean
  }

/** The part of an entry that a search returns. */
export type ListedEntry = Omit<Entry, 'components'>

/** Finds public agents, and the unlisted ones of `orgId`. */
export type EntryFilter = {
  orgId: string
  grade: Grade | undefined
  confidence: Confidence | undefined
}
