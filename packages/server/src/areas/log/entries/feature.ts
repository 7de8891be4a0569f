import type { Clock } from '../../../kernel/clock.ts'
import { erasedWithAgentOrOrg, type Lifecycle } from '../../../lifecycle-phases.ts'
import type { LogQueue } from '../../../log-record.ts'
import { insertPending } from './pending-store.ts'
import { createEntryService, type EntryDeps } from './service.ts'

/** Stateless, so that features built before this one can have it. */
export function createLogQueue({ clock }: { clock: Clock }): LogQueue {
  return {
    async add(tx, records) {
      if (records.length > 0) await insertPending(records, clock.now()).execute(tx)
    },
    insertion: (records, condition) => insertPending(records, clock.now(), condition),
  }
}

export function createEntryFeature(deps: EntryDeps, lifecycle: Lifecycle) {
  const service = createEntryService(deps)
  lifecycle.add({
    name: 'log/entries',
    hooks: { agentErased: service.eraseAgent, orgErased: service.eraseOrg },
    purges: [{ name: 'records of the log', run: service.purge }],
    gauges: [
      {
        name: 'touchstone_log_pending',
        help: 'Records that are not in the log yet.',
        read: service.countPending,
      },
    ],
    tables: {
      log_salt: erasedWithAgentOrOrg(),
      log_pending: erasedWithAgentOrOrg({ purged: 'when the log holds it, within seconds' }),
      log_entry: erasedWithAgentOrOrg({
        exported: 'GET /v1/log/proof',
        purged:
          'with its agent or organisation; of decisions and outcomes after DECISION_RETENTION_DAYS',
      }),
    },
  })
  return { service }
}
