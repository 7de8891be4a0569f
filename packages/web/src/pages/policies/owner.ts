import { ApiError } from '@touchstone/sdk'
import { api } from '../../session/session.ts'

/** Whose policy it is. */
export type Owner = { kind: 'org' | 'agent' | 'team'; id: string }

/** A policy as it is edited: its text, and the version that a change must build on. */
export type PolicyText = { text: string; version: number }

const YAML = { headers: { accept: 'application/yaml' } } as const

/** Undefined where there is none. */
export async function fetchPolicy(owner: Owner): Promise<PolicyText | null> {
  try {
    const answer = await rawPolicy(owner)
    const version = Number(/\d+/.exec(answer.headers.get('etag') ?? '')?.[0])
    return { text: await answer.text(), version }
  } catch (err) {
    if (isNotFound(err)) return null
    throw err
  }
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

/** Empty where there never was a policy. */
export async function fetchHistory({ kind, id }: Owner, query: { page: number }) {
  try {
    if (kind === 'org') {
      const params = { org_id: id }
      return await api.request('GET', '/v1/orgs/{org_id}/policy/history', { params, query })
    }
    if (kind === 'team') {
      const params = { team_id: id }
      return await api.request('GET', '/v1/teams/{team_id}/policy/history', { params, query })
    }
    const params = { agent_id: id }
    return await api.request('GET', '/v1/agents/{agent_id}/policy/history', { params, query })
  } catch (err) {
    if (isNotFound(err)) return { versions: [], total: 0, page: 1, per_page: 20 }
    throw err
  }
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

/** Refused with 412 where somebody was faster; without a version there must be none yet. */
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

export function isNotFound(err: unknown): boolean {
  return err instanceof ApiError && err.status === 404
}
