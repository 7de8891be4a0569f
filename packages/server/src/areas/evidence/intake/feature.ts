import { goesWithAgent, type Lifecycle } from '../../../lifecycle-phases.ts'
import type { Model } from '../../../model/model.ts'
import { createLlmAnalyser } from '../analysis/llm-client.ts'
import { type AnalystDeps, createAnalyst } from '../analysis/service.ts'
import { createCheckpointService } from '../ledger/service.ts'
import { checkpointIngestRoutes, checkpointRoutes } from './routes.ts'
import type { IngestDeps } from './service.ts'

export type CheckpointDeps = Omit<IngestDeps, 'analyst'> &
  Omit<AnalystDeps, 'remote'> & {
    /** Judges instead of the rules, when the operator wants it. */
    model: Model | undefined
  }

export function createCheckpointFeature({ model, ...deps }: CheckpointDeps, lifecycle: Lifecycle) {
  const remote = model && { model: model.name, analyse: createLlmAnalyser({ model }) }
  const service = createCheckpointService({ ...deps, analyst: createAnalyst({ ...deps, remote }) })
  lifecycle.add({
    name: 'evidence/checkpoints',
    routes(app) {
      checkpointIngestRoutes(app, service)
      checkpointRoutes(app, service)
    },
    hooks: {
      agentRegistered: service.begin,
      agentsArchived: service.close,
      agentsRestored: service.reopen,
      agentErased: service.erase,
    },
    tables: {
      chain_head: goesWithAgent({ exported: 'evidence bundle' }),
      checkpoint: goesWithAgent({ exported: 'evidence bundle' }),
      checkpoint_owner: goesWithAgent({ exported: 'evidence bundle' }),
      checkpoint_session: goesWithAgent(),
      checkpoint_reclassification: goesWithAgent({ exported: 'compliance export' }),
    },
  })
  return { service }
}
