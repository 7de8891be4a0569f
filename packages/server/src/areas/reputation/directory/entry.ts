import type {
  ComponentKey,
  Confidence,
  DirectoryRank,
  Grade,
  Tier,
} from '@touchstone/protocol/score'

/** A published score, as the directory is told of it. */
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

/** As much of it as a search finds. */
export type ListedEntry = Omit<Entry, 'components'>

/** Whose own unlisted agents are listed too, and which of all those. */
export type EntryFilter = {
  orgId: string
  grade: Grade | undefined
  confidence: Confidence | undefined
}
