import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { Answer, Body, Query } from '@touchstone/sdk'
import { boundsOf, type TimeRange } from '../../range/time-range.ts'
import { api } from '../../session/session.ts'
import { useAction } from '../../session/use-action.ts'

export type Checkpoint = Answer<'GET', '/v1/checkpoints/{checkpoint_id}'>
export type Trace = Answer<'GET', '/v1/traces/{trace_id}'>
export type Violation = Answer<'GET', '/v1/agents/{agent_id}/violations'>['violations'][number]
export type Score = Answer<'GET', '/v1/reputation/{agent_id}'>

export const AGENTS_PER_PAGE = 50
export const ROWS_PER_PAGE = 20

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

export type ViolationTypes = Answer<'GET', '/v1/agents/{agent_id}/violation-types'>['types']

/** The violations of the range by type, the most frequent first. */
export function useViolationTypes(agentId: string, range: TimeRange | undefined) {
  return useQuery({
    queryKey: ['violation-types', agentId, range],
    queryFn: () =>
      api.request('GET', '/v1/agents/{agent_id}/violation-types', {
        params: { agent_id: agentId },
        query: instantsOf(range),
      }),
    placeholderData: keepPreviousData,
  })
}

/** The bounds of a range as the API takes them; none for all time. */
function instantsOf(range: TimeRange | undefined): { from?: string; to?: string } {
  if (range === undefined) return {}
  const { from, to } = boundsOf(range, new Date())
  return { from: from.toISOString(), to: to.toISOString() }
}

export type ViolationFilter = Query<'GET', '/v1/agents/{agent_id}/violations'>

export function useViolations(
  agentId: string,
  filter: ViolationFilter,
  range: TimeRange | undefined,
) {
  return useQuery({
    queryKey: ['violations', agentId, filter, range],
    queryFn: () =>
      api.request('GET', '/v1/agents/{agent_id}/violations', {
        params: { agent_id: agentId },
        query: { ...filter, ...instantsOf(range) },
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
