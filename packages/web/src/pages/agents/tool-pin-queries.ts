import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { Answer } from '@touchstone/sdk'
import { api } from '../../session/session.ts'

const PINS = '/v1/agents/{agent_id}/tool-pins'

export type ToolPin = Answer<'PUT', typeof PINS>
export type ChangedTool = ToolPin & { change: NonNullable<ToolPin['change']> }

export function useToolPins(
  agentId: string,
  query: { changed: boolean; page: number; per_page: number },
) {
  return useQuery({
    queryKey: ['tool pins', agentId, query],
    queryFn: () => api.request('GET', PINS, { params: { agent_id: agentId }, query }),
    placeholderData: keepPreviousData,
  })
}

/** Pins the definition with this hash: that of the change, or the pinned one again. */
export function acceptTool(agentId: string, { server, tool }: ToolPin, sha256: string) {
  return api.request('PUT', PINS, {
    params: { agent_id: agentId },
    body: { server, tool, sha256 },
  })
}
