import { useQuery } from '@tanstack/react-query'
import type { Answer, Body } from '@touchstone/sdk'
import { api } from '../../session/session.ts'

const ALL = '/v1/agents/{agent_id}/connections'
const ONE = '/v1/agents/{agent_id}/connections/{connection_id}'

export type Connection = Answer<'GET', typeof ONE>
export type NewConnection = Body<'POST', typeof ALL>
/** The only answer with the token. */
export type RevealedConnection = Answer<'POST', typeof ALL>

export const PROVIDER_NAMES: Record<Connection['provider'], string> = {
  anthropic: 'Anthropic',
  openai: 'OpenAI',
  gemini: 'Gemini',
  openai_compatible: 'OpenAI-compatible server',
}

export function useConnections(agentId: string) {
  return useQuery({
    queryKey: ['connections', agentId],
    queryFn: () => api.request('GET', ALL, { params: { agent_id: agentId } }),
  })
}

export function createConnection(agentId: string, body: NewConnection) {
  return api.request('POST', ALL, { params: { agent_id: agentId }, body })
}

/** Long enough to restart every program that uses the old token. */
export const GRACE_HOURS = 24

export function rotateConnection(agentId: string, connectionId: string) {
  return api.request('POST', `${ONE}/rotate`, {
    params: { agent_id: agentId, connection_id: connectionId },
    body: { grace_hours: GRACE_HOURS },
  })
}

export function revokeConnection(agentId: string, connectionId: string) {
  return api.request('DELETE', ONE, {
    params: { agent_id: agentId, connection_id: connectionId },
  })
}
