import { useQuery } from '@tanstack/react-query'
import type { Answer } from '@touchstone/sdk'
import { ApiError } from '@touchstone/sdk'
import { api } from '../../session/session.ts'

export type Findings = Answer<'POST', '/v1/agents/{agent_id}/card/validate'>

export type CardText = { text: string; etag: string | undefined }

/** The card as YAML, which people read and write, with the etag that guards a change of it. */
async function readCard(agentId: string, version?: number): Promise<CardText> {
  const answer = await api.raw('GET', '/v1/agents/{agent_id}/card', {
    params: { agent_id: agentId },
    query: version === undefined ? {} : { version },
    headers: { accept: 'application/yaml' },
  })
  return { text: await answer.text(), etag: answer.headers.get('etag') ?? undefined }
}

/** Kept out of live reloading: what somebody edits does not change under their hands. */
export function useCardText(agentId: string, version?: number) {
  return useQuery({
    queryKey: ['card-text', `card of ${agentId}`, version],
    queryFn: () => readCard(agentId, version),
  })
}

export function useCardHistory(agentId: string, page: number) {
  return useQuery({
    queryKey: ['card-history', agentId, page],
    queryFn: () =>
      api.request('GET', '/v1/agents/{agent_id}/card/history', {
        params: { agent_id: agentId },
        query: { page, per_page: 10 },
      }),
  })
}

/** A text that is not even YAML is a finding like any other. */
export async function validateCard(agentId: string, text: string): Promise<Findings> {
  try {
    return await api.request('POST', '/v1/agents/{agent_id}/card/validate', {
      params: { agent_id: agentId },
      body: text,
    })
  } catch (err) {
    if (!(err instanceof ApiError) || err.status !== 400) throw err
    return {
      valid: false,
      errors: [{ path: '', code: err.code, message: err.message }],
      warnings: [],
    }
  }
}

export function saveCard(agentId: string, { text, etag }: CardText) {
  return api.request('PUT', '/v1/agents/{agent_id}/card', {
    params: { agent_id: agentId },
    body: text,
    ...(etag === undefined ? {} : { headers: { 'if-match': etag } }),
  })
}
