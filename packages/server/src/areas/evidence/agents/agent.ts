import type { AgentId, OrgId } from '../../../kernel/ids.ts'

export const VISIBILITIES = ['public', 'unlisted', 'private'] as const
export type Visibility = (typeof VISIBILITIES)[number]
export const STATUSES = ['active', 'paused', 'killed', 'archived'] as const
export type Status = (typeof STATUSES)[number]
export const MODES = ['observe', 'nudge', 'enforce'] as const
export type Mode = (typeof MODES)[number]

export type AgentFields = {
  name: string
  description: string | null
  visibility: Visibility
  provider: string | null
  model: string | null
  metadata: Record<string, unknown>
}

export type Agent = AgentFields & {
  agentId: AgentId
  orgId: OrgId
  status: Status
  enforcementMode: Mode
  claimVerifier: string
  ownerUserId: string | null
  ownerEmail: string | null
  claimedAt: Date | null
  cardId: string
  cardVersion: number
  lastSeenAt: Date | null
  createdAt: Date
  updatedAt: Date
}
