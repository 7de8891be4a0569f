import type { Client } from '../client.ts'
import {
  type CallRecord,
  checkpointOf,
  type Evidence,
  gatheredCallOf,
  toolsWithoutAction,
  traceOf,
  withActions,
} from './evidence.ts'
import { createEvidenceQueue, type LostEvidence } from './evidence-queue.ts'
import { createGatherer, type Timers } from './gatherer.ts'
import type { Gathering } from './gathering.ts'

export type RecorderOptions = {
  client: Client
  /** Undefined for a key that is bound to an agent: the service adds it. */
  agentId: string | undefined
  timers: Timers
  /** Capacity: how many records may wait while the service cannot be reached. */
  max: number
  /** Looks up the card actions of a tool, if they are not given with the call. */
  actionsOf: ((tool: string) => Promise<readonly string[]>) | undefined
  onLost(lost: LostEvidence): void
  onDelayed(error: unknown): void
}

export type CallRecorder = {
  /** Also counts the checkpoints being gathered, so that there is room for them when they complete. */
  isFull(): boolean
  /** How many records wait: those in the queue, and the checkpoints still being gathered. */
  size(): number
  record(call: Omit<CallRecord, 'agentId' | 'traceId'>): void
  /** Sends the queue; throws if something could not be sent. */
  send(): Promise<void>
  /** Completes all checkpoints and sends everything; throws if something could not be sent. */
  flush(): Promise<void>
}

/**
 * Sends the trace of each call once calls pause, and a checkpoint of the calls of a session once they
 * are enough to be judged (spec: provenance §2).
 */
export function createCallRecorder(options: RecorderOptions): CallRecorder {
  const { client, agentId, timers, max, actionsOf, onLost, onDelayed } = options
  const complete = async (evidence: Evidence) =>
    actionsOf === undefined ? evidence : withCardActions(evidence, actionsOf)
  const queue = createEvidenceQueue({ client, max, complete, onLost, onDelayed })
  const addCheckpoint = (gathering: Gathering) =>
    queue.add({
      tools: toolsOf(gathering),
      trace: undefined,
      checkpoint: checkpointOf(agentId, gathering),
    })
  const gatherer = createGatherer({
    timers,
    newCheckpointId: () => `ic-${crypto.randomUUID()}`,
    // Leaves room in the queue while the service can be reached, however many sessions there are.
    sessionsMax: Math.floor(max / 2),
    onComplete: addCheckpoint,
  })

  const size = () => queue.size() + gatherer.size()
  return {
    isFull: () => size() >= max,
    size,
    send: () => queue.flush(),
    record(call) {
      const record = { ...call, agentId, traceId: `tr-${crypto.randomUUID()}` }
      const gathered = gatheredCallOf(record)
      const added = gatherer.add(gathered, call.call.sessionId)
      // A checkpoint goes with the trace of the call that completed it, as one record.
      const own = added.complete.find(({ newest }) => newest === gathered)
      for (const gathering of added.complete) if (gathering !== own) addCheckpoint(gathering)
      queue.add({
        tools: own === undefined ? [gathered.tool] : toolsOf(own),
        trace: traceOf(record, added.checkpointId),
        checkpoint: own && checkpointOf(agentId, own),
      })
    },
    async flush() {
      gatherer.endSessions()
      await queue.flush()
    },
  }
}

function toolsOf({ calls }: Gathering): string[] {
  return [...new Set(calls.map(({ tool }) => tool))]
}

async function withCardActions(
  evidence: Evidence,
  actionsOf: (tool: string) => Promise<readonly string[]>,
): Promise<Evidence> {
  const tools = toolsWithoutAction(evidence)
  const actions = await Promise.all(tools.map(actionsOf))
  return withActions(evidence, new Map(tools.map((tool, index) => [tool, actions[index] ?? []])))
}
