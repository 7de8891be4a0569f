const HOUR_MS = 60 * 60 * 1000

/** A limit of a policy on the use of models (spec: model-gateway §4). */
export type BudgetRule = {
  name: string
  per: 'hour' | 'day' | 'month'
  action: 'block' | 'warn'
  maxTokens: number | undefined
  maxTurns: number | undefined
  matches(model: string): boolean
}

export type Budget = {
  /** False in policy mode warn, in which a budget only warns. */
  isEnforced: boolean
  rules: readonly BudgetRule[]
}

type Used = { hour: Date; requestedModel: string; model: string; turns: number; tokens: number }

/** Windows of UTC. */
export function windowStart(per: BudgetRule['per'], now: Date): Date {
  if (per === 'hour') return new Date(Math.floor(now.getTime() / HOUR_MS) * HOUR_MS)
  const day = per === 'day' ? now.getUTCDate() : 1
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), day))
}

/** Whether the turns counted so far have used up the budget. */
export function exceeded(rule: BudgetRule, used: readonly Used[], now: Date): boolean {
  const from = windowStart(rule.per, now)
  const counted = used.filter(
    ({ hour, requestedModel, model }) =>
      hour >= from && (rule.matches(requestedModel) || rule.matches(model)),
  )
  const sum = (field: 'turns' | 'tokens') =>
    counted.reduce((total, one) => total + Number(one[field]), 0)
  return (
    (rule.maxTokens !== undefined && sum('tokens') >= rule.maxTokens) ||
    (rule.maxTurns !== undefined && sum('turns') >= rule.maxTurns)
  )
}
