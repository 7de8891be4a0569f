/** spec: platform §2.2. */
export const EXPIRES_IN_DAYS_DEFAULT = 365
const UNUSED_AFTER_MS = 90 * 24 * 60 * 60 * 1000

/** Whether nobody has used the key for so long that it can probably be revoked. */
export function isUnused(key: { createdAt: Date; lastUsedAt: Date | null }, now: Date): boolean {
  const since = key.lastUsedAt ?? key.createdAt
  return now.getTime() - since.getTime() >= UNUSED_AFTER_MS
}

/**
 * Days until a new key expires, null for never. Keys of agents do not expire unless asked to,
 * because an agent that fails closed would stop.
 */
export function expiryOf(wanted: {
  expiresInDays: number | null | undefined
  agentId: string | undefined
}): number | null {
  if (wanted.expiresInDays !== undefined) return wanted.expiresInDays
  return wanted.agentId === undefined ? EXPIRES_IN_DAYS_DEFAULT : null
}
