import '../../kernel/events.ts'

/** Events of teams (spec: platform §5.3). */
type TeamData = { team_id: string; org_id: string; name: string }

type TeamMemberData = {
  team_id: string
  agent_id: string
  /** Null for an agent that leaves because it was erased. */
  actor_id: string | null
  member_count: number
}

declare module '../../kernel/events.ts' {
  interface EventData {
    'team.created': TeamData & { member_count: number; agent_ids: readonly string[] }
    'team.archived': TeamData
    'team.member_added': TeamMemberData
    'team.member_removed': TeamMemberData
    'team.card_updated': {
      team_id: string
      card_id: string
      version: number
      card_source: 'auto_derived' | 'manual' | 'hybrid'
      actor_id: string
    }
    'team_reputation.score_changed': {
      team_id: string
      score_before: number | null
      score_after: number | null
      grade: string
      components: Readonly<Record<string, number | null>>
    }
    'team_reputation.grade_changed': {
      team_id: string
      grade_before: string
      grade_after: string
      score: number | null
    }
  }
}
