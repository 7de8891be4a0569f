import { useQuery } from '@tanstack/react-query'
import { forOrg } from '../../session/for-org.ts'
import { api } from '../../session/session.ts'

export type MadeKey = { key: string; agentId: string | undefined }

/** Long enough to follow the page. */
const CONNECT_KEY_DAYS = 1

/** A key for the commands of a page: it registers an agent, makes its key and applies its policy. */
export async function makeConnectKey(orgId: string, name: string): Promise<MadeKey> {
  const { key } = await api.request('POST', '/v1/api-keys', {
    body: {
      name: `Connect ${name}`,
      // Only owners and admins may apply policies.
      role: 'admin',
      scopes: ['read', 'ingest', 'write'],
      expires_in_days: CONNECT_KEY_DAYS,
      org_id: orgId,
    },
    ...forOrg(orgId),
  })
  return { key: shown(key), agentId: undefined }
}

/** A key that is worth nothing for other agents. */
export async function makeAgentKey(orgId: string, agentId: string): Promise<MadeKey> {
  const { key } = await api.request('POST', '/v1/api-keys', {
    body: {
      name: `${agentId} SDK`,
      agent_id: agentId,
      role: 'member',
      scopes: ['decide', 'ingest'],
      client: 'sdk',
      org_id: orgId,
    },
    ...forOrg(orgId),
  })
  return { key: shown(key), agentId }
}

export async function registerAgent(orgId: string, name: string): Promise<string> {
  const { agent } = await api.request('POST', '/v1/agents', {
    body: { name, visibility: 'private', org_id: orgId },
  })
  return agent.agent_id
}

/** Absent only if the answer repeats an earlier one. */
function shown(key: string | null | undefined): string {
  if (typeof key !== 'string')
    throw new Error('The service did not return the key. Create another.')
  return key
}

const POLL_MS = 2_000

/** The first decision that a page waits for: one agent's, or any of a kind of client. */
export type Awaited = { agent_id: string } | { source: 'hook' | 'mcp_guard' | 'model_gateway' }

/** The newest decision since a time; not asked for while nobody's is awaited. */
export function useDecisionSince(orgId: string, since: string, awaited: Awaited | undefined) {
  return useQuery({
    queryKey: ['decisions', orgId, 'since', since, awaited],
    queryFn: () =>
      api.request('GET', '/v1/decisions', {
        ...forOrg(orgId),
        query: { from: since, limit: 1, ...awaited },
      }),
    enabled: awaited !== undefined,
    refetchInterval: ({ state }) => (state.data?.decisions.length === 1 ? false : POLL_MS),
  })
}
