import type { Server } from '../../../http/server.ts'
import { benchmarkRoutes, directoryRoutes, publicDirectoryRoutes } from './routes.ts'
import { createDirectoryService, type DirectoryDeps } from './service.ts'

export function createDirectoryFeature(deps: DirectoryDeps) {
  const service = createDirectoryService(deps)
  const mount = (app: Server) => {
    directoryRoutes(app, service)
    publicDirectoryRoutes(app, service)
    benchmarkRoutes(app, service)
  }
  return { service, mount }
}
