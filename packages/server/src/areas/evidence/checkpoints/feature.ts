import type { Server } from '../../../http/server.ts'
import type { Model } from '../../../model/model.ts'
import { type AnalystDeps, createAnalyst } from './analysis-service.ts'
import type { IngestDeps } from './ingest-service.ts'
import { createLlmAnalyser } from './llm-client.ts'
import { checkpointIngestRoutes, checkpointRoutes } from './routes.ts'
import { createCheckpointService } from './service.ts'

export type CheckpointDeps = Omit<IngestDeps, 'analyst'> &
  Omit<AnalystDeps, 'remote'> & {
    /** Judges instead of the rules, when the operator wants it. */
    model: Model | undefined
  }

export function createCheckpointFeature({ model, ...deps }: CheckpointDeps) {
  const remote = model && { model: model.name, analyse: createLlmAnalyser({ model }) }
  const service = createCheckpointService({ ...deps, analyst: createAnalyst({ ...deps, remote }) })
  const mount = (app: Server) => {
    checkpointIngestRoutes(app, service)
    checkpointRoutes(app, service)
  }
  return { service, mount }
}
