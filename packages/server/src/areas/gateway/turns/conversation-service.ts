import type { RefusedOutput, RequestReading } from '@touchstone/protocol/model-wire'
import { type Clock, DAY_MS, later } from '../../../kernel/clock.ts'
import type { Db } from '../../../kernel/db.ts'
import type { AgentId, OrgId } from '../../../kernel/ids.ts'
import { createConversationStore, type KeptAnswer } from './conversation-store.ts'
import type { Agents } from './ports.ts'

/** Providers keep responses this long unless they are told otherwise. */
const KEPT_MS = 30 * DAY_MS

export type Continued = Pick<KeptAnswer, 'sessionId' | 'refused'>

export type ConversationService = ReturnType<typeof createConversations>

type Deps = { db: Db; clock: Clock; agents: Pick<Agents, 'selectExisting'> }

/** Remembers answers that the provider keeps: their session, and the calls that were refused in them. */
export function createConversations({ db, clock, agents }: Deps) {
  const store = createConversationStore(db)
  return {
    /** The answer that the request continues, if the gateway passed it on. */
    async find(
      agent: { orgId: string; agentId: string },
      reading: RequestReading | undefined,
    ): Promise<Continued | undefined> {
      const id = continuedId(reading)
      return id === undefined ? undefined : store.find(agent, id)
    },

    /** A conversation has one entry, which its next answer replaces; a response has its own. */
    async keep(
      turn: { orgId: string; agentId: string; sessionId: string },
      answer: { answerId: string | undefined; conversation: string | undefined },
      refused: readonly RefusedOutput[],
    ): Promise<void> {
      const { answerId, conversation } = answer
      const now = clock.now()
      for (const id of [answerId, conversation]) {
        if (id === undefined) continue
        await store.save({ ...turn, answerId: id, refused }, now, agents.selectExisting)
      }
    },

    purge: (now: Date): Promise<number> => store.deleteBefore(later(now, -KEPT_MS)),
    eraseOfAgent: (tx: Db, agentId: AgentId) => createConversationStore(tx).deleteOfAgent(agentId),
    erase: (tx: Db, orgId: OrgId) => createConversationStore(tx).deleteOfOrg(orgId),
  }
}

/** Ids of conversations are prefixed, so that they cannot be those of responses. */
export function conversationKey(reading: RequestReading | undefined): string | undefined {
  return reading?.conversation === undefined ? undefined : `conversation ${reading.conversation}`
}

function continuedId(reading: RequestReading | undefined): string | undefined {
  return reading?.previousResponseId ?? conversationKey(reading)
}
