import type { EffectiveValue } from '@touchstone/protocol/cards'

export type Cards = {
  /** All that the agent is held to now, in resolution order; nothing for an unknown agent. */
  findValues(agentId: string): Promise<readonly EffectiveValue[] | undefined>
}
