import type { Actor } from '../../../audit.ts'
import { Problem } from '../../../kernel/problem.ts'
import type { SecondFactors } from './ports.ts'

/** A caller without a second factor would lock themselves out by requiring one. */
export async function assertProtected(factors: SecondFactors, actor: Actor): Promise<void> {
  if (await factors.has(actor.userId)) return
  throw new Problem('conflict', 'require_second_factor: set up your own second factor first.')
}
