import { ApiError } from '@touchstone/sdk'
import { api } from '../../session/session.ts'

/** The owner of a policy: an organisation, an agent or a team. */
export type Owner = { kind: 'org' | 'agent' | 'team'; id: string }

/** A policy's text, and the version that a save must be based on. */
export type PolicyText = { text: string; version: number }

const YAML = { headers: { accept: 'application/yaml' } } as const

export async function fetchPolicy(owner: Owner): Promise<PolicyText> {
  const answer = await rawPolicy(owner)
  const version = Number(/\d+/.exec(answer.headers.get('etag') ?? '')?.[0])
  return { text: await answer.text(), version }
}

function rawPolicy({ kind, id }: Owner): Promise<Response> {
  if (kind === 'org') {
    return api.raw('GET', '/v1/orgs/{org_id}/policy', { ...YAML, params: { org_id: id } })
  }
  if (kind === 'team') {
    return api.raw('GET', '/v1/teams/{team_id}/policy', { ...YAML, params: { team_id: id } })
  }
  return api.raw('GET', '/v1/agents/{agent_id}/policy', { ...YAML, params: { agent_id: id } })
}

export function fetchHistory({ kind, id }: Owner, query: { page: number }) {
  if (kind === 'org') {
    const params = { org_id: id }
    return api.request('GET', '/v1/orgs/{org_id}/policy/history', { params, query })
  }
  if (kind === 'team') {
    const params = { team_id: id }
    return api.request('GET', '/v1/teams/{team_id}/policy/history', { params, query })
  }
  const params = { agent_id: id }
  return api.request('GET', '/v1/agents/{agent_id}/policy/history', { params, query })
}

export async function fetchVersion({ kind, id }: Owner, version: number): Promise<string> {
  if (kind === 'org') {
    const params = { org_id: id, version }
    const path = '/v1/orgs/{org_id}/policy/versions/{version}'
    return (await api.raw('GET', path, { ...YAML, params })).text()
  }
  if (kind === 'team') {
    const params = { team_id: id, version }
    const path = '/v1/teams/{team_id}/policy/versions/{version}'
    return (await api.raw('GET', path, { ...YAML, params })).text()
  }
  const params = { agent_id: id, version }
  const path = '/v1/agents/{agent_id}/policy/versions/{version}'
  return (await api.raw('GET', path, { ...YAML, params })).text()
}

/** Fails with 412 if the policy changed since `version` or, without a version, if one already exists. */
export function savePolicy({ kind, id }: Owner, body: string, version: number | undefined) {
  const headers: Record<string, string> =
    version === undefined ? { 'if-none-match': '*' } : { 'if-match': `"v${version}"` }
  if (kind === 'org') {
    const params = { org_id: id }
    return api.request('PUT', '/v1/orgs/{org_id}/policy', { params, headers, body })
  }
  if (kind === 'team') {
    const params = { team_id: id }
    return api.request('PUT', '/v1/teams/{team_id}/policy', { params, headers, body })
  }
  const params = { agent_id: id }
  return api.request('PUT', '/v1/agents/{agent_id}/policy', { params, headers, body })
}

/** Maps a 404 to null. */
export async function nullIfNotFound<Found>(request: Promise<Found>): Promise<Found | null> {
  try {
    return await request
  } catch (err) {
    if (err instanceof ApiError && err.status === 404) return null
    throw err
  }
}
