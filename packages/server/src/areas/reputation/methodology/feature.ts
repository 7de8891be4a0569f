import type { Lifecycle } from '../../../lifecycle-phases.ts'
import { methodologyPage, type Settings } from './page.ts'
import { contentPolicy } from './policy.ts'
import { methodologyRoutes } from './routes.ts'

export function createMethodologyFeature(settings: Settings, lifecycle: Lifecycle): void {
  const page = { body: methodologyPage(settings), policy: contentPolicy() }
  lifecycle.add({
    name: 'reputation/methodology',
    routes: (app) => methodologyRoutes(app, page),
  })
}
