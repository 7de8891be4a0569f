import { vi } from 'vitest'

/**
 * Polls until the check passes, for effects of other processes and connections that take longer
 * under load.
 */
export function eventually(check: () => unknown): Promise<unknown> {
  return vi.waitFor(check, { timeout: 60_000, interval: 20 })
}
