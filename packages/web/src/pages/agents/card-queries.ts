import { useQuery } from '@tanstack/react-query'
import type { Answer } from '@touchstone/sdk'
import { ApiError } from '@touchstone/sdk'
import { api } from '../../session/session.ts'

export type Findings = Answer<'POST', '/v1/agents/{agent_id}/card/validate'>

export type CardText = { text: string; etag: string | undefined }

/** Fetches the card as YAML, with the ETag that guards against concurrent changes. */
async function readCard(agentId: string, version?: number): Promise<CardText> {
  const answer = await api.raw('GET', '/v1/agents/{agent_id}/card', {
    params: { agent_id: agentId },
    query: version === undefined ? {} : { version },
    headers: { accept: 'application/yaml' },
  })
  return { text: await answer.text(), etag: answer.headers.get('etag') ?? undefined }
}

/**
 * Its key has no bare agent id, so live invalidation does not replace a text while it is edited.
 */
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

/** Validates a draft. A 400, such as for invalid YAML, is returned as a finding. */
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
