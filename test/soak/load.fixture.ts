import { setTimeout as sleep } from 'node:timers/promises'
import { newCheckpointId, textOf } from '#harness/checkpoints.ts'
import type { Node, World } from './world.fixture.ts'

/** Requests of a node at the same time. */
const LANES = 6
/** A frozen node does not answer at all; what was sent to it is sent again. */
const ANSWER_MS_MAX = 30_000
const RETRY_MS = 50

/** A write from the first attempt until the service acknowledged it. */
export type Write = {
  node: Node
  kind: 'checkpoint' | 'decision'
  id: string
  agent: string
  startedMs: number
  ackedMs: number
}

export type Load = {
  writes: readonly Write[]
  /** Nodes with a write that began before that moment and is not acknowledged yet. */
  waiting(sinceMs: number): readonly Node[]
  /** Answers other than an acknowledgement, by status; 0 stands for no answer. */
  refused: ReadonlyMap<number, number>
  /** Decisions answered while nothing could be stored, which said so. */
  unrecorded(): number
  stop(): Promise<void>
}

/**
 * Sends decisions and checkpoints in turn to every node, at a fixed rate over all of them, and repeats
 * each until it is acknowledged. A lane of requests stays with its node.
 */
export function startLoad({ nodes, agents }: World, perSecond: number): Load {
  const writes: Write[] = []
  const pending = new Set<Pick<Write, 'node' | 'startedMs'>>()
  const refused = new Map<number, number>()
  const stopping = new AbortController()
  const everyMs = (1000 * nodes.length * LANES) / perSecond
  let count = 0
  let unrecorded = 0

  const refuse = async (status: number): Promise<undefined> => {
    refused.set(status, (refused.get(status) ?? 0) + 1)
    await sleep(RETRY_MS)
    return undefined
  }

  const attempt = async (node: Node, path: string, body: object) => {
    const answer = await post(node, path, body)
    return answer.ok ? answer.body : refuse(answer.status)
  }

  /** Resolves to its id once it is acknowledged, and to undefined if it has to be sent again. */
  const sends = {
    async checkpoint(node: Node, n: number, agent: string, id: string) {
      const body = { checkpoint_id: id, thinking: textOf(n), session_id: `s${n % 7}` }
      const answer = await attempt(node, `/v1/agents/${agent}/checkpoints`, body)
      return answer && id
    },
    async decision(node: Node, n: number, agent: string) {
      const body = { agent_id: agent, tool: 'search', session_id: `s${n % 7}`, arguments: { n } }
      const answer = await attempt(node, '/v1/gateway/decide', body)
      if (answer === undefined || answer['recorded'] !== false) return answer?.['decision_id']
      unrecorded += 1
      return refuse(200)
    },
  }

  const lane = async (node: Node): Promise<void> => {
    await sleep(Math.random() * everyMs)
    while (!stopping.signal.aborted) {
      const n = count++
      const kind = n % 2 === 0 ? 'checkpoint' : 'decision'
      const agent = agents[Math.floor(n / 2) % agents.length] ?? ''
      const own = newCheckpointId()
      const startedMs = performance.now()
      const begun = { node, startedMs }
      pending.add(begun)
      let id: unknown
      while (id === undefined && !stopping.signal.aborted) {
        id = await sends[kind](node, n, agent, own)
      }
      pending.delete(begun)
      const ackedMs = performance.now()
      if (typeof id === 'string') writes.push({ node, kind, id, agent, startedMs, ackedMs })
      await sleep(Math.max(0, startedMs + everyMs - ackedMs))
    }
  }

  const lanes = Promise.all(
    nodes.flatMap((node) => Array.from({ length: LANES }, () => lane(node))),
  )
  // A failure is reported by `stop`; until then it must not hide another one.
  lanes.catch(() => undefined)
  return {
    writes,
    waiting: (sinceMs) =>
      [...pending].filter(({ startedMs }) => startedMs < sinceMs).map(({ node }) => node),
    refused,
    unrecorded: () => unrecorded,
    async stop() {
      stopping.abort()
      await lanes
    },
  }
}

type Answer = { ok: true; body: Record<string, unknown> } | { ok: false; status: number }

async function post(node: Node, path: string, body: object): Promise<Answer> {
  try {
    const answer = await fetch(node.service.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${node.key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(ANSWER_MS_MAX),
    })
    const text = await answer.text()
    return answer.status < 300
      ? { ok: true, body: JSON.parse(text) }
      : { ok: false, status: answer.status }
  } catch {
    return { ok: false, status: 0 }
  }
}
