import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { type TestApp, type TestUser, testApp } from '#harness/app.ts'
import {
  keyRefusal,
  OPERATIONS,
  type Operation,
  ROLES,
  type Role,
  roleAllows,
  ruleOf,
  SCOPES,
} from '../../packages/server/src/access.ts'

type Documented = {
  'x-access': string
  'x-rate-limit-per-minute': number | null
  tags?: string[]
}
type Endpoint = {
  method: string
  path: string
  auth?: string
  per_minute?: number
  issue: string
}

const ENDPOINTS = new URL('../../vectors/interface/endpoints.json', import.meta.url)

let t: TestApp
let routes: { method: string; path: string; rules: Documented }[]

beforeAll(async () => {
  t = await testApp()
  const document = t.app.openapi() as { paths: Record<string, Record<string, Documented>> }
  routes = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, rules]) => ({
      method: method.toUpperCase(),
      path,
      rules,
    })),
  )
})

/** Copies spec: platform §2.5 row by row, so that a mistake in the server's table fails a test. */
const TABLE: readonly (readonly [string, string, readonly Operation[]])[] = [
  ['OAUM', 'read', ['agents.read', 'cards.read', 'checkpoints.read', 'traces.read']],
  ['OAUM', 'read', ['policies.read', 'teams.read', 'transactions.read', 'risk.read']],
  ['OAUM', 'read', ['proofs.read', 'enforcement.read', 'trust_edges.read']],
  ['OAUM', 'read', ['coherence.read', 'card_template.read', 'conscience_values.read']],
  ['OAUM', 'read', ['amendments.read', 'reclassifications.read', 'onchain.read']],
  ['OAUM', 'read', ['reputation.query', 'policies.evaluate', 'org.read', 'members.read']],
  ['OAU', 'read', ['compliance.export', 'conscience_log.read', 'audit_log.read']],
  ['OAU', 'read', ['plan.read', 'usage.read', 'webhooks.read']],
  ['OAM', 'ingest', ['agents.register', 'evidence.ingest']],
  ['OAM', 'write', ['risk.assess', 'intelligence.request', 'transactions.manage']],
  ['OAM', 'write', ['score.recompute', 'coherence.record', 'evaluations.record']],
  // Added to that table by spec: governance §4, R and W.
  ['OAUM', 'read', ['decisions.read']],
  // spec: decisions §5.
  ['OAU', 'read', ['decisions.export', 'evidence_packs.export']],
  // spec: decisions §6.
  ['OAUM', 'read or decide', ['containment.read', 'policies.read_resolved', 'escalations.read']],
  // spec: connect §2.3.
  ['OAUM', 'read or decide', ['tool_pins.read']],
  ['OAM', 'decide', ['tool_pins.report']],
  ['OA', 'write', ['tool_pins.accept']],
  ['OAM', 'decide', ['gateway.decide', 'decisions.report']],
  ['OAUM', 'approve', ['escalations.resolve']],
  // Added by spec: risk §3.
  ['OA', 'write', ['proofs.retry']],
  // Added: every member of the organisation can comment on a violation.
  ['OAUM', 'write', ['chains.audit', 'violations.comment']],
  ['OA', 'write', ['agents.update', 'cards.change', 'policies.change']],
  // spec: provenance §8.
  ['OA', 'write or approve', ['violations.reclassify']],
  ['OA', 'approve', ['violations.excuse']],
  ['OA', 'write', ['amendments.change', 'enforcement.change', 'trust_edges.change']],
  ['OA', 'write', ['teams.manage', 'containment.pause', 'containment.policy']],
  ['OA', 'write', ['conscience_values.change', 'card_template.change', 'webhooks.manage']],
  // spec: model-gateway §5.
  ['OA', 'write', ['connections.manage']],
  ['OA', 'onchain', ['onchain.write']],
  ['OAM', 'JWT', ['agents.claim']],
  ['OA', 'JWT', ['org.update', 'invitations.manage', 'org_keys.manage', 'members.remove']],
  // spec: decisions §4.
  ['OA', 'JWT', ['approval_channels.manage']],
  ['O', 'JWT', ['containment.kill', 'agents.retire', 'card_template.delete']],
  ['O', 'JWT', ['members.change_role', 'admins.manage', 'sso.manage', 'org.delete']],
  ['OAUM', 'JWT', ['org.leave']],
  // spec: decisions §6: with a key, only keys of agents.
  ['OAUM', 'write', ['keys.create']],
]
const LETTERS: Record<string, Role> = { O: 'owner', A: 'admin', U: 'auditor', M: 'member' }

describe('the access table', () => {
  it('matches the specification and lists every operation once', () => {
    const listed = TABLE.flatMap(([, , operations]) => operations)
    expect([...listed].sort()).toEqual([...OPERATIONS].sort())
    for (const [letters, key, operations] of TABLE) {
      const roles = [...letters].map((letter) => LETTERS[letter])
      for (const operation of operations) {
        expect([...ruleOf(operation).roles].sort(), operation).toEqual([...roles].sort())
        const { key: scope, orKey } = ruleOf(operation)
        const stated = orKey === undefined ? scope : `${scope} or ${orKey}`
        expect(stated, operation).toBe(key === 'JWT' ? 'never' : key)
      }
    }
  })

  it('tells a key which scope it lacks', () => {
    const member = { role: 'member', scopes: ['read'] } as const
    expect(keyRefusal(member, 'gateway.decide')).toContain('does not have the scope decide')
    expect(keyRefusal(member, 'policies.change')).toContain('Allowed roles: owner, admin')
    expect(keyRefusal(member, 'agents.claim')).toContain('Sign in')
    expect(keyRefusal(member, 'policies.read')).toBeUndefined()
  })

  it('grants a key an operation only if both its role and one of its scopes allow it', () => {
    for (const operation of OPERATIONS) {
      for (const role of ROLES) {
        for (const scope of SCOPES) {
          const { key, orKey } = ruleOf(operation)
          const held = scope === 'write' ? ['write', 'decide'] : [scope]
          const both =
            roleAllows(role, operation) && held.some((one) => one === key || one === orKey)
          expect(keyRefusal({ role, scopes: [scope] }, operation) === undefined).toBe(both)
        }
      }
    }
  })
})

describe('every route', () => {
  const people: Partial<Record<Role, TestUser>> = {}
  const keys: { role: string; scope: string; key: string }[] = []
  let stranger: TestUser
  let teamId: string

  beforeAll(async () => {
    const org = t.first.org_id
    for (const role of ['admin', 'auditor', 'member'] as const) {
      people[role] = await t.newUser(`${role}@example.com`, { orgId: org, role })
    }
    stranger = await t.newUser('stranger@example.com')
    const agent_ids = ['access-agent', 'access-other']
    for (const agent_id of agent_ids) {
      await t.call('POST', '/v1/agents', { token: t.first.api_key, body: { agent_id } })
    }
    const body = { org_id: org, name: 'Access', agent_ids }
    teamId = (await t.call('POST', '/v1/teams', { token: t.first.api_key, body })).body.team.id
    const token = await t.ownerToken()
    for (const role of ['admin', 'auditor', 'member']) {
      for (const scope of SCOPES) {
        const created = await t.call('POST', `/v1/orgs/${org}/api-keys`, {
          token,
          body: { role, scopes: [scope] },
        })
        keys.push({ role, scope, key: created.body.key })
      }
    }
  })

  /** Cannot change anything: no schema accepts these bodies, and the ids do not exist. */
  const knock = async (route: { method: string; path: string }, token?: string) => {
    const url = route.path
      .replace('{org_id}', t.first.org_id)
      .replace('{agent_id}', 'access-agent')
      .replace('{team_id}', teamId)
      .replace(/\{[^}]+\}/g, 'does-not-exist')
    const answer = await t.app.server.inject({
      method: route.method as 'GET',
      url,
      headers: {
        'content-type': 'application/json',
        'x-touchstone-dashboard': '1',
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      ...(route.method === 'GET' ? {} : { payload: '[]' }),
    })
    return answer.statusCode
  }

  it('declares its access rule and its rate limit', () => {
    expect(routes.length).toBeGreaterThan(50)
    for (const { method, path, rules } of routes) {
      expect(rules['x-access'], `${method} ${path}`).toBeTypeOf('string')
      expect(rules['x-rate-limit-per-minute'], `${method} ${path}`).not.toBeUndefined()
    }
  })

  it('answers 401 only to callers without a credential', async () => {
    for (const route of routes) {
      const status = await knock(route)
      if (route.rules['x-access'] === 'public') expect(status, route.path).not.toBe(403)
      else expect(status, `${route.method} ${route.path}`).toBe(401)
    }
  })

  it('answers each role as the access table says', async () => {
    for (const route of operationRoutes()) {
      const operation = route.rules['x-access'] as Operation
      for (const role of ['admin', 'auditor', 'member'] as const) {
        const status = await knock(route, people[role]?.token)
        const where = `${route.method} ${route.path} as ${role}`
        if (roleAllows(role, operation)) expect(status, where).not.toBe(403)
        else expect(status, where).toBe(403)
      }
    }
  })

  it('answers each key as the access table says', async () => {
    for (const route of operationRoutes()) {
      const operation = route.rules['x-access'] as Operation
      for (const { role, scope, key } of keys) {
        const held = { role: role as Role, scopes: [scope as (typeof SCOPES)[number]] }
        const allowed = keyRefusal(held, operation) === undefined
        const status = await knock(route, key)
        const where = `${route.method} ${route.path} with a key ${role}/${scope}`
        if (allowed) expect(status, where).not.toBe(403)
        else expect(status, where).toBe(403)
      }
    }
  })

  it('answers 404 to a stranger if its path names an organisation', async () => {
    for (const route of operationRoutes()) {
      if (!route.path.includes('{org_id}')) continue
      const status = await knock(route, stranger.token)
      expect(status, `${route.method} ${route.path}`).toBe(404)
    }
  })

  it('rejects API keys if it is for people or platform administrators only', async () => {
    const key = t.first.api_key
    for (const route of routes) {
      const access = route.rules['x-access']
      if (access !== 'user' && access !== 'platform') continue
      expect(await knock(route, key), `${route.method} ${route.path}`).toBe(403)
      if (access === 'platform') expect(await knock(route, stranger.token)).toBe(403)
    }
  })

  function operationRoutes() {
    const others = ['public', 'user', 'platform']
    return routes.filter((route) => !others.includes(route.rules['x-access']))
  }
})

/** Rate limits that spec: platform §3 sets because no other section of the specification does. */
const SPECIAL: Record<string, number | null> = {
  'POST /v1/orgs/invitations/accept': 10,
  'POST /v1/orgs/{org_id}/sso/test': 10,
  'POST /v1/orgs/{org_id}/webhooks/{endpoint_id}/test': 10,
  'POST /v1/impersonate': 10,
  'POST /v1/agents/{agent_id}/claim': 10,
  'POST /v1/auth/login': 10,
  'POST /v1/auth/signup': 5,
  'POST /v1/auth/password-reset': 5,
  'POST /v1/auth/refresh': 30,
  'POST /v1/agents/{agent_id}/card/validate': 120,
  'POST /v1/traces': 600,
  'POST /v1/agents/{agent_id}/traces': 600,
  'POST /v1/traces/batch': 60,
  'POST /v1/traces/verify': 120,
  'POST /v1/agents/{agent_id}/checkpoints': 600,
  'POST /v1/checkpoints/batch': 60,
  'GET /v1/checkpoints/{checkpoint_id}/certificate': 100,
  'GET /v1/checkpoints/{checkpoint_id}/inclusion-proof': 100,
  'GET /v1/agents/{agent_id}/merkle-root': 100,
  'GET /v1/agents/{agent_id}/consistency-proof': 100,
  'GET /v1/keys': 100,
  'POST /v1/verify': 60,
  // As expensive as verify, and grows with the history.
  'GET /v1/reputation/{agent_id}/bundle': 30,
  // spec: interface, Limits: other policy endpoints.
  'GET /v1/agents/{agent_id}/policy/history': 30,
  'GET /v1/agents/{agent_id}/policy/versions/{version}': 30,
  'GET /v1/orgs/{org_id}/policy/versions/{version}': 30,
  'GET /v1/teams/{team_id}/policy': 30,
  'GET /v1/teams/{team_id}/policy/history': 30,
  'GET /v1/teams/{team_id}/policy/versions/{version}': 30,
  // spec: fleet §1.2, §1.3 and §4.2.
  'POST /v1/coherence/check': 60,
  'GET /v1/orgs/{org_id}/coherence': 30,
  'POST /v1/teams/{team_id}/reputation/recompute': 10,
  // spec: interface, Limits: transaction endpoints.
  'GET /v1/transactions': 30,
  // spec: risk §1.5.
  'POST /v1/risk/assess': 60,
  'POST /v1/risk/assess/team': 20,
  'GET /v1/risk/assessments/{assessment_id}': 100,
  'GET /v1/risk/assessments/{assessment_id}/inputs': 100,
  'GET /v1/risk/team-assessments/{assessment_id}': 100,
  'GET /v1/risk/history/{agent_id}': 100,
  'GET /v1/risk/team-history/{team_id}': 100,
  'POST /dev/chain': 300,
  'GET /v1/risk/proofs/{proof_id}': 100,
  'GET /v1/risk/proofs/{proof_id}/data': 100,
  // spec: risk §3.
  'POST /v1/verify-proof': 10,
  // spec: evidence §8: traces are also posted to this path.
  'POST /v1/otlp/v1/traces': 600,
  // spec: governance §0: limited only by the plan's requests per second.
  'POST /v1/gateway/decide': null,
  'POST /v1/decisions/{decision_id}/outcome': null,
  'POST /v1/decisions/outcomes': null,
  'GET /health/live': null,
  'GET /health/startup': null,
  'GET /health/ready': null,
  'GET /v1/plans': null,
}

describe('the interface', () => {
  const endpoints: Endpoint[] = JSON.parse(readFileSync(ENDPOINTS, 'utf8'))
  const find = (endpoint: Endpoint) => {
    const shape = (path: string) => path.replace(/\{[^}]+\}/g, '{}')
    return routes.find(
      (route) => route.method === endpoint.method && shape(route.path) === shape(endpoint.path),
    )
  }

  it('applies the documented rate limit to every route', () => {
    for (const endpoint of endpoints) {
      const route = find(endpoint)
      if (route === undefined) continue
      const name = `${endpoint.method} ${endpoint.path}`
      // spec: evidence §8: agent and card writes 60, other reads 120; otherwise spec: platform §3.
      const [read, change] = endpoint.issue === 'evidence' ? [120, 60] : [60, 30]
      const usual = endpoint.method === 'GET' ? read : change
      const limit = endpoint.per_minute ?? (name in SPECIAL ? SPECIAL[name] : usual)
      expect(route.rules['x-rate-limit-per-minute'], name).toBe(limit)
    }
  })

  it('applies the documented access rule to every route', () => {
    for (const endpoint of endpoints) {
      const route = find(endpoint)
      if (route === undefined || endpoint.auth === undefined) continue
      const access = route.rules['x-access']
      const name = `${endpoint.method} ${endpoint.path}`
      if (endpoint.auth === 'public') expect(access, name).toBe('public')
      else expect(access, name).not.toBe('public')
      if (endpoint.auth !== 'jwt' || access === 'user' || access === 'platform') continue
      // spec: platform §2.1 and §2.5 also open some of the bearer-token endpoints to API keys.
      const opened: readonly string[] = ['org.read', 'members.read', 'keys.create']
      if (!opened.includes(access)) expect(ruleOf(access as Operation).key, name).toBe('never')
    }
  })

  it('matches the committed OpenAPI file, which is up to date', () => {
    const file = new URL('../../docs/api/openapi.json', import.meta.url)
    const committed = JSON.parse(readFileSync(file, 'utf8'))
    const now = JSON.parse(JSON.stringify(t.app.openapi()))
    const { paths, components, tags } = now
    expect(committed, 'run npm run openapi').toMatchObject({ paths, components, tags })
  })
})
