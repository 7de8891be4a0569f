import type { Db } from './kernel/db.ts'

/** The author of a change, as shown in records and the audit log. */
export type Actor = {
  type: 'user' | 'api_key' | 'system'
  id: string
  /** The person responsible: a key counts as its creator (spec: platform §2.2). */
  userId: string
  impersonatedBy: string | null
  ip: string | null
  requestId: string | null
}

export const SYSTEM_ACTOR: Actor = {
  type: 'system',
  id: 'system',
  userId: 'system',
  impersonatedBy: null,
  ip: null,
  requestId: null,
}

/** A person acting outside an authenticated request, such as while signing up. */
export function personActor(
  userId: string,
  origin: { ip: string | null; requestId: string | null },
): Actor {
  return { type: 'user', id: userId, userId, impersonatedBy: null, ...origin }
}

export type Changes = Readonly<Record<string, { from: unknown; to: unknown }>>

export type AuditEntry = {
  /** Null for the log of the platform. */
  orgId: string | null
  action: string
  actor: Actor
  target: { type: string; id: string }
  /** Must not contain secrets. */
  changes?: Changes
}

/** Written in the transaction of the change, so both are committed or neither. */
export type Audit = { record(tx: Db, entry: AuditEntry): Promise<void> }

/** The fields that differ, for the audit log. */
export function changesBetween<T extends Record<string, unknown>>(before: T, after: T): Changes {
  const changed = Object.keys(after).filter((field) => before[field] !== after[field])
  return Object.fromEntries(
    changed.map((field) => [field, { from: before[field] ?? null, to: after[field] ?? null }]),
  )
}
