import { erasedWithAgent, type Lifecycle } from '../../../lifecycle-phases.ts'
import { cardChangeRoutes, cardRoutes } from './routes.ts'
import { type CardDeps, createCardService } from './service.ts'

export function createCardFeature(deps: CardDeps, lifecycle: Lifecycle) {
  const service = createCardService(deps)
  lifecycle.add({
    name: 'evidence/cards',
    routes(app) {
      cardRoutes(app, service)
      cardChangeRoutes(app, service)
    },
    hooks: { agentErased: service.erase },
    tables: {
      card_version: erasedWithAgent(),
      card_amendment: erasedWithAgent({ exported: 'compliance export' }),
    },
  })
  return { service }
}
