import { erasedWithAgent, type Lifecycle } from '../../../lifecycle-phases.ts'
import { benchmarkRoutes, directoryRoutes, publicDirectoryRoutes } from './routes.ts'
import { createDirectoryService, type DirectoryDeps } from './service.ts'

export function createDirectoryFeature(deps: DirectoryDeps, lifecycle: Lifecycle) {
  const service = createDirectoryService(deps)
  lifecycle.add({
    name: 'reputation/directory',
    routes(app) {
      directoryRoutes(app, service)
      publicDirectoryRoutes(app, service)
      benchmarkRoutes(app, service)
    },
    // After the scores, which a computation locks before it writes entries.
    hooks: {
      agentsChanged: { run: service.changed, after: ['reputation/scores'] },
      agentErased: { run: service.remove, after: ['reputation/scores'] },
    },
    tables: {
      directory_entry: erasedWithAgent({ exported: 'directory' }),
      directory_change: {
        erased: 'notifies other nodes of the removal, until the hourly run after the next',
        exported: 'backup only',
        purged: 'by the hourly run after the next',
      },
    },
  })
  return { service }
}
