import type { Clock } from '../../../kernel/clock.ts'
import type { LogQueue } from '../../../log-record.ts'
import { insertPending } from './pending-store.ts'

export function createLogQueue({ clock }: { clock: Clock }): LogQueue {
  return {
    async add(tx, records) {
      if (records.length > 0) await insertPending(records, clock.now()).execute(tx)
    },
    insertion: (records, condition) => insertPending(records, clock.now(), condition),
  }
}
