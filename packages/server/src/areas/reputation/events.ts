import '../../kernel/events.ts'

/** Events of agents' scores (spec: platform §5.3). */
declare module '../../kernel/events.ts' {
  interface EventData {
    'reputation.score_changed': {
      agent_id: string
      score_before: number | null
      score_after: number | null
      grade: string
      components: Readonly<Record<string, number | null>>
    }
    'reputation.grade_changed': {
      agent_id: string
      grade_before: string
      grade_after: string
      score: number | null
    }
  }
}
