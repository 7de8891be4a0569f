import { useQuery } from '@tanstack/react-query'
import type { Answer } from '@touchstone/sdk'
import { api } from '../../../session/session.ts'
import { useSession } from '../../../session/use-session.ts'

export type Reputation = Answer<'GET', '/v1/reputation/{agent_id}'>

/** Sent with the session if there is one, because some agents are not public. */
export function useReputation(agentId: string) {
  return useQuery({
    queryKey: ['reputation', agentId, useSession()?.email],
    queryFn: () =>
      api.request('GET', '/v1/reputation/{agent_id}', { params: { agent_id: agentId } }),
  })
}

export function useAgent(agentId: string) {
  return useQuery({
    queryKey: ['agent', agentId, useSession()?.email],
    queryFn: () => api.request('GET', '/v1/agents/{agent_id}', { params: { agent_id: agentId } }),
  })
}

export function useCard(agentId: string) {
  return useQuery({
    queryKey: ['card', agentId, useSession()?.email],
    queryFn: () =>
      api.request('GET', '/v1/agents/{agent_id}/card', { params: { agent_id: agentId } }),
  })
}

export function useHistory(agentId: string) {
  return useQuery({
    queryKey: ['reputation-history', agentId],
    queryFn: () =>
      api.request('GET', '/v1/reputation/{agent_id}/history', { params: { agent_id: agentId } }),
  })
}

/** The service's own verification of the evidence; only rated agents have it. */
export function useEvidence(agentId: string) {
  return useQuery({
    queryKey: ['reputation-verify', agentId],
    queryFn: () =>
      api.request('GET', '/v1/reputation/{agent_id}/verify', { params: { agent_id: agentId } }),
  })
}

/** Requires a session. */
export function useOnChain(agentId: string) {
  const session = useSession()
  return useQuery({
    queryKey: ['on-chain', agentId, session?.email],
    enabled: session !== undefined,
    queryFn: () =>
      api.request('GET', '/v1/on-chain/status/{agent_id}', { params: { agent_id: agentId } }),
  })
}
