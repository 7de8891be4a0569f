import { vi } from 'vitest'

/** For what another process or connection brings about: soon as a rule, later on a busy machine. */
export function eventually(check: () => unknown): Promise<unknown> {
  return vi.waitFor(check, { timeout: 15_000, interval: 20 })
}
