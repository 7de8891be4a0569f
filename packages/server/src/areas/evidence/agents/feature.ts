import type { Lifecycle } from '../../../lifecycle-phases.ts'
import { agentControlRoutes, agentEndRoutes, agentRoutes } from './routes.ts'
import { type AgentDeps, createAgentService } from './service.ts'

export function createAgentFeature(deps: Omit<AgentDeps, 'owned'>, lifecycle: Lifecycle) {
  const owned: AgentDeps['owned'] = {
    begin: (tx, agentId) => lifecycle.run('agentRegistered', tx, agentId),
    archive: (tx, agentIds) => lifecycle.run('agentsArchived', tx, agentIds),
    restore: (tx, agentIds) => lifecycle.run('agentsRestored', tx, agentIds),
    retire: (tx, agentId) => lifecycle.run('agentRetired', tx, agentId),
    change: (tx, agentIds) => lifecycle.run('agentsChanged', tx, agentIds),
    erase: (tx, agentId) => lifecycle.run('agentErased', tx, agentId),
  }
  const service = createAgentService({ ...deps, owned })
  lifecycle.add({
    name: 'evidence/agents',
    routes(app) {
      agentRoutes(app, service)
      agentEndRoutes(app, service)
      agentControlRoutes(app, service)
    },
    hooks: {
      orgClosed: service.closeOrg,
      orgReopened: service.reopenOrg,
      orgErased: service.eraseOrg,
    },
    purges: [{ name: 'agents', run: service.purge }],
    tables: {
      agent: {
        erased: 'after agentErased, which this feature runs',
        exported: 'backup only',
        purged: 'with its organisation',
      },
    },
  })
  return { service }
}
