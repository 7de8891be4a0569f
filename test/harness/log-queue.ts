import { createLogQueue } from '../../packages/server/src/areas/log/entries/feature.ts'
import { type Clock, systemClock } from '../../packages/server/src/kernel/clock.ts'
import type { LogQueue } from '../../packages/server/src/log-record.ts'

/** The queue of the witnessed log, for services under test that add records to it. */
export function testLogQueue(clock: Clock = systemClock): LogQueue {
  return createLogQueue({ clock })
}
