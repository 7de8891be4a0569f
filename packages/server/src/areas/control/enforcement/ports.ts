import type { Newest } from './hold.ts'

export type Checkpoints = {
  /** The last analysed one in chain order, of the session or of the agent's last so many. */
  findNewest(of: {
    agentId: string
    sessionId: string | undefined
    lookedAtMax: number
  }): Promise<Newest | undefined>
}
