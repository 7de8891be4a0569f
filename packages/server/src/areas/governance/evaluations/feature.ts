import { erasedWithAgent, type Lifecycle } from '../../../lifecycle-phases.ts'
import { evaluationRoutes } from './routes.ts'
import { createEvaluationService, type EvaluationDeps } from './service.ts'

export function createEvaluationFeature(deps: EvaluationDeps, lifecycle: Lifecycle) {
  const service = createEvaluationService(deps)
  lifecycle.add({
    name: 'governance/evaluations',
    routes: (app) => evaluationRoutes(app, service),
    hooks: { serve: service.prepareMonths, stop: service.close, agentErased: service.erase },
    purges: [{ name: 'policy evaluations', run: service.purge }],
    tables: {
      policy_first_seen: erasedWithAgent(),
      policy_evaluation: erasedWithAgent({
        exported: 'policy evaluations',
        purged: 'with its month, after 90 days',
      }),
      policy_violation_told: erasedWithAgent({ purged: 'a day' }),
    },
  })
  return { service }
}
