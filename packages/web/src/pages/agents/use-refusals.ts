import { useQuery } from '@tanstack/react-query'
import { fetchAllPages } from '../../session/fetch-all-pages.ts'
import { api } from '../../session/session.ts'
import type { Checkpoint } from './queries.ts'

/** Why a call was not made, if it was refused; `unknown` until its trace has been looked up. */
export type Refusal = 'blocked' | 'escalated' | 'unknown' | undefined

type Linked = Pick<Checkpoint, 'timestamp' | 'linked_trace_id'>

const PER_PAGE = 100

/** Says which of these checkpoints are about refused calls. */
export function useRefusals(
  agentId: string,
  checkpoints: readonly Linked[],
): (checkpoint: Linked) => Refusal {
  const range = rangeOf(checkpoints)
  const refused = useQuery({
    queryKey: ['traces', agentId, 'refused', range],
    queryFn: async () => {
      const [blocked, escalated] = await Promise.all([
        fetchIds(agentId, 'deny', range),
        fetchIds(agentId, 'escalate', range),
      ])
      return new Map([
        ...blocked.map((id) => [id, 'blocked'] as const),
        ...escalated.map((id) => [id, 'escalated'] as const),
      ])
    },
    enabled: range !== undefined,
  })
  return ({ linked_trace_id: traceId }) => {
    if (traceId === null) return undefined
    return refused.data === undefined ? 'unknown' : refused.data.get(traceId)
  }
}

type Range = { from: string; to: string }

/** A guard gives a checkpoint the time of the trace that it links. */
function rangeOf(checkpoints: readonly Linked[]): Range | undefined {
  const times = checkpoints
    .filter(({ linked_trace_id: traceId }) => traceId !== null)
    .map(({ timestamp }) => Date.parse(timestamp))
  if (times.length === 0) return undefined
  return {
    from: new Date(Math.min(...times) - 1000).toISOString(),
    to: new Date(Math.max(...times) + 1000).toISOString(),
  }
}

async function fetchIds(agentId: string, type: 'deny' | 'escalate', range: Range | undefined) {
  const read = (page: number) =>
    api.request('GET', '/v1/agents/{agent_id}/traces', {
      params: { agent_id: agentId },
      query: { action_type: type, ...range, page, per_page: PER_PAGE },
    })
  const { rows } = await fetchAllPages(read, (found) => found.traces)
  return rows.map((trace) => trace.trace_id)
}
