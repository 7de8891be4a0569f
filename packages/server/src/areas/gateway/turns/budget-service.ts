import type { Clock } from '../../../kernel/clock.ts'
import { type Budget, exceeded, windowStart } from './budget.ts'
import type { Deferred } from './deferred-service.ts'
import type { TurnFacts } from './ports.ts'
import type { Usage } from './usage.ts'
import type { UsageService } from './usage-service.ts'

export type BudgetDeps = {
  clock: Clock
  usage: Pick<UsageService, 'add' | 'since'>
  policies: {
    /** The budgets of the agent's effective policy; usually cached. */
    modelLimitsOf(orgId: string, agentId: string): Promise<Budget>
  }
  deferred: Deferred
}

export type BudgetVerdict = {
  usedUp: readonly string[]
  /** The first of them that refuses the turn. */
  blockedBy: string | undefined
}

const WITHIN: BudgetVerdict = { usedUp: [], blockedBy: undefined }

export type BudgetService = ReturnType<typeof createBudgets>

/** Budgets of tokens and turns: counted after each turn, judged before the next. */
export function createBudgets({ clock, usage, policies, deferred }: BudgetDeps) {
  return {
    /** Finds the budgets that are used up before a turn of the model begins. */
    async judge(turn: TurnFacts): Promise<BudgetVerdict> {
      const { org, agentId, requestedModel, isModelNamed, connection } = turn
      const { orgId } = org
      const budget = await policies.modelLimitsOf(orgId, agentId)
      const rules = budget.rules.filter((rule) => !isModelNamed || rule.matches(requestedModel))
      if (rules.length === 0) return WITHIN
      const now = clock.now()
      const from = rules.map(({ per }) => windowStart(per, now)).reduce(earlier)
      const used = await usage.since({ orgId, agentId }, from)
      const over = rules.filter((one) => exceeded(one, used, now))
      const isEnforced = budget.isEnforced && connection.mode === 'enforce'
      return {
        usedUp: over.map(({ name }) => name),
        blockedBy: isEnforced ? over.find(({ action }) => action === 'block')?.name : undefined,
      }
    },

    /** Resolves once the turn is counted, if a budget needs it; otherwise it is counted meanwhile. */
    async count({ org, agentId }: TurnFacts, turn: Usage): Promise<void> {
      const agent = { orgId: org.orgId, agentId }
      // A turn whose budgets cannot be read is counted, too.
      const isAwaited = await policies.modelLimitsOf(org.orgId, agentId).then(
        ({ rules }) => rules.length > 0,
        () => false,
      )
      const counted = deferred.run(() => usage.add(agent, turn, { isAwaited }))
      if (isAwaited) await counted
    },
  }
}

function earlier(a: Date, b: Date): Date {
  return a < b ? a : b
}
