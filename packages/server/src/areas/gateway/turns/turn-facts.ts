import type { WireFormat } from '@touchstone/protocol/model-wire'
import type { ModelConnection } from '../../../model-turn.ts'
import type { AgentMode, Org } from './ports.ts'

/** The facts about a turn that are known before the provider is asked. */
export type TurnFacts = {
  turnId: string
  org: Org
  agentId: string
  agentMode: AgentMode
  sessionId: string
  connection: ModelConnection
  wire: WireFormat
  /** As the client asked for it. */
  requestedModel: string
  client: string | null
  isStreamAsked: boolean
  /** The response or conversation that the provider keeps and the request continues. */
  conversation: string | undefined
  /** Settles once the outcomes in the request are stored; never rejects. */
  outcomesReported: Promise<void>
}
