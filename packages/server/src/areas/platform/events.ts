import '../../kernel/events.ts'

/** Events of plans and quotas (spec: platform §5.3). */
type Period = { period_start: string; period_end: string }

type QuotaData = Period & {
  meter: string
  usage_percent: number | null
  used: number
  included: number
  checks_used?: number
  checks_included?: number
}

type TeamQuotaData = Period & {
  usage_percent: number | null
  computations_used: number
  computations_included: number
}

declare module '../../kernel/events.ts' {
  interface EventData {
    'subscription.status_changed': {
      status: string
      previous_plan_id: string
      new_plan_id: string
      cancel_at_period_end: boolean
    }
    'quota.warning': QuotaData
    'quota.exceeded': QuotaData
    'quota.team_reputation_warning': TeamQuotaData
    'quota.team_reputation_exceeded': TeamQuotaData
  }
}
