import type { LogEntryType } from '@touchstone/protocol/log'
import type { RawBuilder } from 'kysely'
import type { Db } from './kernel/db.ts'

/** A record that becomes an entry of the log. */
export type LogRecord = {
  type: LogEntryType
  /** Unique among the records of its type. */
  recordId: string
  /** Null for the deployment, or if it is the organisation of the agent. */
  orgId: string | null
  /** The agent that the record is about; null if it is about none or several. */
  agentId: string | null
  /** The members that are hashed. */
  record: object
  at: Date
}

/** The record of an event of a signing key. */
export function keyRecord(
  { keyId, publicKeyHex }: { keyId: string; publicKeyHex: string },
  event: 'published' | 'retired',
  at: Date,
): LogRecord {
  return {
    type: 'key',
    recordId: `${keyId}/${event}`,
    orgId: null,
    agentId: null,
    record: { key_id: keyId, public_key: publicKeyHex, event, at: at.toISOString() },
    at,
  }
}

/** Queues records for the log in the transaction that stores them. */
export type LogQueue = {
  add(tx: Db, records: readonly LogRecord[]): Promise<void>
  /** The same as a part of another statement; nothing is queued unless the condition holds. */
  insertion(records: readonly LogRecord[], condition?: RawBuilder<unknown>): RawBuilder<unknown>
}
