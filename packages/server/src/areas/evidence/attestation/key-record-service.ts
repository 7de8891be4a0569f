import type { LogRecord } from '../../../log-record.ts'
import type { KnownKey } from './store.ts'

/** The events of a key, as the witnessed log has them. */
export function keyRecords({ keyId, publicKeyHex, createdAt, retiredAt }: KnownKey): LogRecord[] {
  const eventOf = (event: 'published' | 'retired', at: Date): LogRecord => ({
    type: 'key',
    recordId: `${keyId}/${event}`,
    orgId: null,
    agentId: null,
    record: { key_id: keyId, public_key: publicKeyHex, event, at: at.toISOString() },
    at,
  })
  const published = eventOf('published', createdAt)
  return retiredAt === null ? [published] : [published, eventOf('retired', retiredAt)]
}
