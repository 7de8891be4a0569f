import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { Answer, Body, Query } from '@touchstone/sdk'
import { forOrg } from '../../session/for-org.ts'
import { api } from '../../session/session.ts'
import { useAction } from '../../session/use-action.ts'

export type Agent = Answer<'GET', '/v1/orgs/{org_id}/agents'>['agents'][number]
export type Checkpoint = Answer<'GET', '/v1/checkpoints/{checkpoint_id}'>
export type Trace = Answer<'GET', '/v1/traces/{trace_id}'>
export type Violation = Answer<'GET', '/v1/agents/{agent_id}/violations'>['violations'][number]
export type Score = Answer<'GET', '/v1/reputation/{agent_id}'>
/** A score as a batch has it. */
export type BatchScore = Answer<'POST', '/v1/reputation/batch'>['scores'][number]

/** The limit of a batch score request. */
export const AGENTS_PER_PAGE = 50
export const ROWS_PER_PAGE = 20

export type AgentFilter = Omit<Query<'GET', '/v1/orgs/{org_id}/agents'>, 'per_page'>

export function useAgents(orgId: string, filter: AgentFilter = {}) {
  return useQuery({
    queryKey: ['agents', orgId, filter],
    queryFn: () =>
      api.request('GET', '/v1/orgs/{org_id}/agents', {
        params: { org_id: orgId },
        query: { ...filter, per_page: AGENTS_PER_PAGE },
      }),
    placeholderData: keepPreviousData,
  })
}

/** Scores by agent, fetched in one batch because single requests would hit the rate limit. */
export function useScores(orgId: string, agentIds: readonly string[]) {
  return useQuery({
    queryKey: ['scores', orgId, agentIds],
    queryFn: async () => {
      const { scores } = await api.request('POST', '/v1/reputation/batch', {
        body: { agent_ids: [...agentIds] },
        ...forOrg(orgId),
      })
      return new Map(scores.map((score) => [score.agent_id, score]))
    },
    enabled: agentIds.length > 0,
    placeholderData: keepPreviousData,
  })
}

export function useAgent(agentId: string) {
  return useQuery({
    queryKey: ['agent', agentId],
    queryFn: () => api.request('GET', '/v1/agents/{agent_id}', { params: { agent_id: agentId } }),
  })
}

export function useScore(agentId: string) {
  return useQuery({
    queryKey: ['score', agentId],
    queryFn: () =>
      api.request('GET', '/v1/reputation/{agent_id}', { params: { agent_id: agentId } }),
  })
}

export function useScoreHistory(agentId: string) {
  return useQuery({
    queryKey: ['score-history', agentId],
    queryFn: () =>
      api.request('GET', '/v1/reputation/{agent_id}/history', { params: { agent_id: agentId } }),
  })
}

export function useIntegrity(agentId: string) {
  return useQuery({
    queryKey: ['integrity', agentId],
    queryFn: () =>
      api.request('GET', '/v1/agents/{agent_id}/integrity', { params: { agent_id: agentId } }),
  })
}

export type CheckpointFilter = Omit<Query<'GET', '/v1/agents/{agent_id}/checkpoints'>, 'per_page'>

export function useCheckpoints(agentId: string, filter: CheckpointFilter) {
  return useQuery({
    queryKey: ['checkpoints', agentId, filter],
    queryFn: () =>
      api.request('GET', '/v1/agents/{agent_id}/checkpoints', {
        params: { agent_id: agentId },
        query: { ...filter, per_page: ROWS_PER_PAGE },
      }),
    placeholderData: keepPreviousData,
  })
}

export type TraceFilter = Omit<Query<'GET', '/v1/agents/{agent_id}/traces'>, 'per_page'>

export function useTraces(agentId: string, filter: TraceFilter) {
  return useQuery({
    queryKey: ['traces', agentId, filter],
    queryFn: () =>
      api.request('GET', '/v1/agents/{agent_id}/traces', {
        params: { agent_id: agentId },
        query: { ...filter, per_page: ROWS_PER_PAGE },
      }),
    placeholderData: keepPreviousData,
  })
}

export type DriftFilter = Query<'GET', '/v1/agents/{agent_id}/drift'>

export function useDrift(agentId: string, filter: DriftFilter) {
  return useQuery({
    queryKey: ['drift', agentId, filter],
    queryFn: () =>
      api.request('GET', '/v1/agents/{agent_id}/drift', {
        params: { agent_id: agentId },
        query: filter,
      }),
    placeholderData: keepPreviousData,
  })
}

export type ViolationFilter = Query<'GET', '/v1/agents/{agent_id}/violations'>

export function useViolations(agentId: string, filter: ViolationFilter) {
  return useQuery({
    queryKey: ['violations', agentId, filter],
    queryFn: () =>
      api.request('GET', '/v1/agents/{agent_id}/violations', {
        params: { agent_id: agentId },
        query: filter,
      }),
    placeholderData: keepPreviousData,
  })
}

/** A mutation on an agent that invalidates all cached data of the agent. */
export function useAgentAction<Input, Result>(
  agentId: string,
  options: { run: (input: Input) => Promise<Result>; done: (result: Result) => string },
) {
  return useAction({
    run: options.run,
    done: options.done,
    refresh: (key) => key.includes(agentId) || key[0] === 'agents',
    pageShowsError: true,
  })
}

export type AgentPatch = Body<'PATCH', '/v1/agents/{agent_id}'>
