import type { AssuranceLevel } from '@touchstone/protocol/score'
import type { Page, PageRequest } from '../../../kernel/db.ts'

export type Anchor = {
  anchorId: string
  merkleRoot: string
  leafCount: number
  treeDepth: number
  txHash: string
  blockNumber: number
  anchoredAt: Date
}

export type Publication = {
  publicationId: string
  agentCount: number
  txHash: string
  blockNumber: number
  publishedAt: Date
}

export type Anchors = {
  /** The newest anchor that covers the agent. */
  latestCovering(agentId: string): Promise<Anchor | undefined>
  /** Newest first. */
  list(orgId: string, page: PageRequest): Promise<Page<Anchor>>
}

export type PublishedScore = {
  score: number
  grade: string
  /** Null if it was published without one. */
  assurance: AssuranceLevel | null
  blockNumber: number
  publishedAt: Date
}

export type Publications = {
  latestOf(agentId: string): Promise<PublishedScore | undefined>
  /** Newest first. */
  list(orgId: string, page: PageRequest): Promise<Page<Publication>>
}

export type Agents = {
  /** Throws `agent_not_found` for an agent that is not visible to these organisations. */
  get(agentId: string, orgIds: readonly string[]): Promise<unknown>
}
