import { Problem } from '../../kernel/problem.ts'
import { type Caller, type Tenant, tenantOf } from '../identity/caller.ts'
import { type GuardedRequest, pathParam } from './guarded.ts'

/** Which organisation a request acts in. */
export type TenantDeps = {
  /** The organisation that owns an agent; undefined for an unknown or erased one. */
  orgOfAgent(agentId: string): Promise<string | undefined>
  /** The organisation that owns a team; undefined for an unknown or erased one. */
  orgOfTeam(teamId: string): Promise<string | undefined>
  /** True also for a deleted organisation, until it is erased. */
  orgExists(orgId: string): Promise<boolean>
}

/** The organisation in the path, or else that of the caller (spec: platform §2.1). */
function findTenant(req: GuardedRequest): Tenant {
  return selectTenant(req.caller, pathParam(req, 'org_id') ?? orgInHeader(req))
}

/** For users only: a key belongs to one organisation. */
export function orgInHeader({ caller, headers }: GuardedRequest): string | undefined {
  const named = caller.kind === 'user' ? headers['x-org-id'] : undefined
  return named === undefined ? undefined : String(named)
}

/** An administrator needs no membership, so the organisation only has to exist. */
export async function assertOrgInPath(req: GuardedRequest, deps: TenantDeps): Promise<void> {
  const orgId = pathParam(req, 'org_id')
  const isAdmin = req.caller.kind === 'user' && req.caller.isPlatformAdmin
  if (orgId === undefined || !isAdmin || (await deps.orgExists(orgId))) return
  throw new Problem('not_found', 'No such organisation.')
}

export async function pathTenant(req: GuardedRequest, deps: TenantDeps): Promise<Tenant> {
  const { tenantFrom } = req.route.config
  if (tenantFrom === 'agent') return agentTenant(req, deps)
  return tenantFrom === 'team' ? teamTenant(req, deps) : findTenant(req)
}

async function teamTenant(req: GuardedRequest, deps: TenantDeps): Promise<Tenant> {
  const orgId = await deps.orgOfTeam(pathParam(req, 'team_id') ?? '')
  const tenant = orgId === undefined ? undefined : tenantOf(req.caller, orgId)
  if (tenant !== undefined) return tenant
  throw new Problem('not_found', 'No such team.')
}

/**
 * An agent of an organisation other than the caller's, or than the one in the path, gets the same
 * answer as a missing one (spec: platform §1.2).
 */
async function agentTenant(req: GuardedRequest, deps: TenantDeps): Promise<Tenant> {
  const named = pathParam(req, 'org_id') === undefined ? undefined : findTenant(req)
  const orgId = await deps.orgOfAgent(pathParam(req, 'agent_id') ?? '')
  const tenant = orgId === undefined ? undefined : tenantOf(req.caller, orgId)
  if (tenant !== undefined && orgId === (named?.orgId ?? orgId)) return tenant
  throw new Problem(req.route.config.unknownAgent ?? 'agent_not_found', 'No such agent.')
}

export function selectTenant(caller: Caller, orgId: string | undefined): Tenant {
  if (orgId !== undefined) {
    const tenant = tenantOf(caller, orgId)
    if (tenant === undefined) throw new Problem('not_found', 'No such organisation.')
    return tenant
  }
  if (caller.kind === 'key') return caller.tenant
  const tenants = caller.kind === 'user' ? caller.tenants : []
  const only = tenants[0]
  if (only !== undefined && tenants.length === 1) return only
  throw new Problem(
    'invalid_request',
    tenants.length === 0
      ? 'You do not belong to an organisation. Create one or accept an invitation first.'
      : 'You belong to several organisations. Name one with org_id or the X-Org-Id header.',
  )
}
