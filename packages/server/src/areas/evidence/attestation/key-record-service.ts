import { keyRecord, type LogRecord } from '../../../log-record.ts'
import type { KnownKey } from './store.ts'

/** The events of a key, as the witnessed log has them. */
export function keyRecords(key: KnownKey): LogRecord[] {
  const published = keyRecord(key, 'published', key.createdAt)
  return key.retiredAt === null
    ? [published]
    : [published, keyRecord(key, 'retired', key.retiredAt)]
}
