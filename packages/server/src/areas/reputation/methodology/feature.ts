import type { Server } from '../../../http/server.ts'
import { methodologyPage, type Settings } from './page.ts'
import { contentPolicy } from './policy.ts'
import { methodologyRoutes } from './routes.ts'

export function createMethodologyFeature(settings: Settings) {
  const page = { body: methodologyPage(settings), policy: contentPolicy() }
  return { mount: (app: Server) => methodologyRoutes(app, page) }
}
