import type { Server } from '../../../http/server.ts'
import { cardChangeRoutes, cardRoutes } from './routes.ts'
import { type CardDeps, createCardService } from './service.ts'

export function createCardFeature(deps: CardDeps) {
  const service = createCardService(deps)
  const mount = (app: Server) => {
    cardRoutes(app, service)
    cardChangeRoutes(app, service)
  }
  return { service, mount }
}
