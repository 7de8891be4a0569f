import type { Newest } from './hold.ts'

export type Checkpoints = {
  /**
   * The last analysed checkpoint in chain order, of the session or among the agent's most
   * recent.
   */
  findNewest(of: {
    agentId: string
    sessionId: string | undefined
    lookedAtMax: number
  }): Promise<Newest | undefined>
}
