import type { Db } from '../../../kernel/db.ts'
import { erasedWithAgent, type Lifecycle } from '../../../lifecycle-phases.ts'
import { type BudgetDeps, createBudgets } from './budget-service.ts'
import { createConversations } from './conversation-service.ts'
import { createDeferred } from './deferred-service.ts'
import { createOutcomeReader } from './outcome-service.ts'
import type { Checkpoints, Outcomes } from './ports.ts'
import { createRecorder, type RecordDeps } from './record-service.ts'
import { usageRoutes } from './routes.ts'
import { createTurnService, type TurnServiceDeps } from './service.ts'
import { createThinking, type ThinkingDeps } from './thinking-service.ts'
import { createUsage } from './usage-service.ts'

type Built = 'recorder' | 'count' | 'keep' | 'thinking' | 'outcomes' | 'conversations' | 'budgets'

export type TurnFeatureDeps = Omit<TurnServiceDeps, Built> &
  Omit<RecordDeps, 'checkpoints' | 'deferred'> &
  Omit<ThinkingDeps, 'checkpoints'> &
  Pick<BudgetDeps, 'policies'> & { db: Db; checkpoints: Checkpoints; outcomes: Outcomes }

export function createTurnFeature(deps: TurnFeatureDeps, lifecycle: Lifecycle) {
  const { clock, onError } = deps
  const usage = createUsage(deps)
  const conversations = createConversations(deps)
  const deferred = createDeferred({ onError })
  const recorder = createRecorder({ ...deps, deferred })
  const budgets = createBudgets({ clock, policies: deps.policies, usage, deferred })
  const service = createTurnService({
    ...deps,
    conversations,
    recorder,
    budgets,
    thinking: createThinking(deps),
    outcomes: createOutcomeReader({ clock, outcomes: deps.outcomes, onError }),
    count: budgets.count,
    async keep({ org, agentId, sessionId, wire, conversation }, answerId, refused) {
      if (wire.name !== 'openai-responses') return
      const turn = { orgId: org.orgId, agentId, sessionId }
      await deferred.run(() => conversations.keep(turn, { answerId, conversation }, refused))
    },
  })
  lifecycle.add({
    name: 'gateway/turns',
    routes: (app) => usageRoutes(app, usage),
    hooks: {
      async stop() {
        recorder.flushAll()
        await deferred.drain()
        await usage.stop()
      },
      async agentErased(tx, agentId) {
        await usage.eraseOfAgent(tx, agentId)
        await conversations.eraseOfAgent(tx, agentId)
      },
      async orgErased(tx, orgId) {
        await usage.erase(tx, orgId)
        await conversations.erase(tx, orgId)
      },
    },
    purges: [
      { name: 'model usage', run: usage.purge },
      { name: 'answers of models', run: conversations.purge },
    ],
    tables: {
      model_usage: erasedWithAgent({ exported: 'model usage', purged: '400 days' }),
      model_answer: erasedWithAgent({ purged: '30 days' }),
    },
  })
  return { service }
}
