import type { EffectiveValue } from '@touchstone/protocol/cards'

export type Cards = {
  /**
   * All values that apply to the agent now, in resolution order; undefined for an unknown agent.
   */
  findValues(agentId: string): Promise<readonly EffectiveValue[] | undefined>
}
