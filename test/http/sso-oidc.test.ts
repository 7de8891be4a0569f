import { generateKeyPairSync } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Answer, type TestApp, type TestUser, testApp } from '#harness/app.ts'
import { type OidcProvider, startOidcProvider } from '#harness/oidc-provider.ts'

const CLIENT = { id: 'touchstone', secret: 'se:cret/+ %' }

let t: TestApp
let owner: string
let org: string
let provider: OidcProvider
let member: TestUser

beforeAll(async () => {
  provider = await startOidcProvider(CLIENT)
  t = await testApp({ env: { ALLOW_LOOPBACK_EGRESS: 'true' } })
  provider.behaviour.now = t.clock.now
  owner = await t.ownerToken()
  org = t.first.org_id
  member = await t.newUser('member@example.com', { orgId: org, role: 'member' })
})

beforeEach(async () => {
  provider.reset()
  // Discovery documents and key sets are cached for ten minutes.
  t.clock.advance(601_000)
  owner = await t.ownerToken()
})

const settings = (changes = {}) => ({
  protocol: 'oidc',
  issuer: provider.issuer,
  client_id: CLIENT.id,
  client_secret: CLIENT.secret,
  allowed_domains: ['example.com'],
  ...changes,
})
const put = (body: object, orgId = org) =>
  t.call('PUT', `/v1/orgs/${orgId}/sso`, { token: owner, body })
const test = (body: object) => t.call('POST', `/v1/orgs/${org}/sso/test`, { token: owner, body })

async function newOrg(slug: string): Promise<string> {
  const created = await t.call('POST', '/v1/orgs', { token: owner, body: { name: slug, slug } })
  return created.body.org_id
}

type Begun = { url: string; cookie: string }

async function begin(query = '', orgId = org): Promise<Begun> {
  const answer = await t.call('GET', `/v1/auth/sso/${orgId}/login${query}`)
  expect(answer.status).toBe(302)
  const cookie = String(answer.headers['set-cookie']).split(';')[0] ?? ''
  return { url: String(answer.headers.location), cookie }
}

function callBack(location: string, cookie: string): Promise<Answer> {
  const { pathname, search } = new URL(location)
  return t.call('GET', `${pathname}${search}`, { headers: { cookie } })
}

const exchange = (code: string, cookie: string) =>
  t.call('POST', '/v1/auth/sso/exchange', {
    body: { code },
    headers: { cookie, 'user-agent': 'test browser' },
  })

const codeIn = (answer: Answer) =>
  new URL(String(answer.headers.location)).searchParams.get('code') ?? ''

/** The callback's answer to a whole sign-in at the provider. */
async function tryIn(): Promise<Answer> {
  const { url, cookie } = await begin()
  return callBack(provider.answerTo(url), cookie)
}

async function signIn(): Promise<string> {
  const { url, cookie } = await begin()
  const back = await callBack(provider.answerTo(url), cookie)
  expect(back.status).toBe(303)
  return (await exchange(codeIn(back), cookie)).body.access_token
}

/** The error code on the page, which people can report. */
function pageCode(answer: Answer): string {
  expect(answer.headers['content-type']).toContain('text/html')
  expect(answer.headers['content-security-policy']).toContain("default-src 'none'")
  expect(answer.text).not.toContain(CLIENT.secret)
  return /<dd><code>(\w+)<\/code>/.exec(answer.text)?.[1] ?? ''
}

async function recorded(): Promise<string[]> {
  const path = `/v1/orgs/${org}/audit-log?action=sso.sign_in_refused`
  const log = await t.call('GET', path, { token: owner })
  return log.body.entries.map((entry: { changes: { reason: { to: string } } }) => {
    return entry.changes.reason.to
  })
}

async function roleOf(token: string): Promise<string> {
  const me = await t.call('GET', '/v1/auth/me', { token })
  return me.body.orgs[0].role
}

describe('the configuration of OpenID Connect', () => {
  it('is tested, stored and answered without the secret', async () => {
    const answer = await put(settings({ role_mapping: [{ group: 'it', role: 'admin' }] }))
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({
      configured: true,
      org_id: org,
      protocol: 'oidc',
      issuer: provider.issuer,
      client_id: CLIENT.id,
      has_client_secret: true,
      scopes: ['openid', 'email', 'profile'],
      redirect_uri: `${t.config.baseUrl}/v1/auth/sso/${org}/callback`,
      idp_name: null,
      default_role: 'member',
      role_mapping: [{ group: 'it', role: 'admin' }],
      groups_claim: 'groups',
      allowed_domains: ['example.com'],
      enforced: false,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    })
    const read = await t.call('GET', `/v1/orgs/${org}/sso`, { token: owner })
    expect(read.body).toEqual(answer.body)
    const log = await t.call('GET', `/v1/orgs/${org}/audit-log?action=sso.configured`, {
      token: owner,
    })
    expect(log.text).not.toContain('se:cret')
  })

  it.each([
    [{ issuer: undefined }, 'issuer'],
    [{ client_id: undefined }, 'client_id'],
    [{ metadata_url: 'https://idp.example.com/' }, 'metadata_url'],
    [{ protocol: 'saml', metadata_url: 'https://idp.example.com/' }, 'issuer'],
    [{ role_mapping: [{ group: 'it', role: 'owner' }] }, 'role'],
    [{ scopes: ['a b'] }, 'scopes'],
    [{ client_secret: '' }, 'client_secret'],
  ])('refuses %j and names the field', async (changes, field) => {
    const answer = await put(settings(changes))
    expect(answer.status).toBe(400)
    expect(answer.body.message).toContain(field)
  })

  it.each<[string, Record<string, unknown>]>([
    ['another issuer', { issuer: 'https://evil.example' }],
    ['no token endpoint', { token_endpoint: undefined }],
    ['a script as its authorization endpoint', { authorization_endpoint: 'javascript:alert(1)' }],
    ['no PKCE with S256', { code_challenge_methods_supported: ['plain'] }],
    ['only shared-secret signatures', { id_token_signing_alg_values_supported: ['HS256'] }],
    ['no code flow', { response_types_supported: ['id_token'] }],
    ['only private keys for clients', { token_endpoint_auth_methods_supported: ['tls'] }],
  ])('refuses a provider with %s', async (_name, discovery) => {
    provider.behaviour.discovery = discovery
    expect((await put(settings())).status).toBe(400)
    expect((await test({ issuer: provider.issuer })).body.valid).toBe(false)
  })

  it('refuses addresses that the outbound rules forbid, also those that discovery names', async () => {
    const direct = await put(settings({ issuer: 'https://10.0.0.1' }))
    expect([direct.status, direct.body.error]).toEqual([400, 'url_not_allowed'])
    provider.behaviour.discovery = { token_endpoint: 'http://169.254.169.254/token' }
    const named = await put(settings())
    expect([named.status, named.body.error]).toEqual([400, 'url_not_allowed'])
  })

  it('keeps the secret while issuer and client stay, and asks for it when they change', async () => {
    const kept = await put(settings({ client_secret: undefined, enforced: false }))
    expect([kept.status, kept.body.has_client_secret]).toEqual([200, true])
    expect((await tryIn()).status).toBe(303)
    const other = await put(settings({ client_secret: undefined, client_id: 'other' }))
    expect([other.status, other.body.message]).toEqual([
      400,
      expect.stringContaining('client_secret'),
    ])
  })

  it('is tested without being stored', async () => {
    expect((await test({})).body).toEqual({
      valid: true,
      error: null,
      metadata_url: null,
      issuer: provider.issuer,
    })
    const wrong = await test({ issuer: `${provider.issuer}/` })
    expect([wrong.body.valid, wrong.body.error]).toEqual([false, expect.stringMatching(/issuer/)])
    const both = await test({ issuer: provider.issuer, metadata_url: provider.issuer })
    expect(both.status).toBe(400)
  })
})

describe('signing in with OpenID Connect', () => {
  it('goes through the provider to tokens of a person who belongs to this organisation only', async () => {
    await put(settings())
    const { url, cookie } = await begin('?return_to=%2Fagents&state=abc')
    expect(new URL(url).origin).toBe(provider.issuer)
    provider.behaviour.claims = { name: 'Ada Lovelace' }
    const back = await callBack(provider.answerTo(url), cookie)
    expect(back.status).toBe(303)
    const location = new URL(String(back.headers.location))
    expect(location.href.startsWith(`${t.config.baseUrl}/sign-in/sso?code=`)).toBe(true)
    expect(location.searchParams.get('return_to')).toBe('/agents')
    expect(location.searchParams.get('state')).toBe('abc')
    const tokens = await exchange(codeIn(back), cookie)
    expect(tokens.status).toBe(200)
    const token = tokens.body.access_token
    const me = await t.call('GET', '/v1/auth/me', { token })
    expect(me.body).toMatchObject({
      email: 'ada@example.com',
      name: 'Ada Lovelace',
      is_platform_admin: false,
      orgs: [{ org_id: org, role: 'member' }],
    })
    const { sessions } = (await t.call('GET', '/v1/auth/sessions', { token })).body
    expect(sessions).toMatchObject([{ user_agent: 'test browser', address: '127.0.0.1' }])
    const body = { name: 'Elsewhere', slug: 'elsewhere' }
    expect((await t.call('POST', '/v1/orgs', { token, body })).status).toBe(403)
    expect((await exchange(codeIn(back), cookie)).status).toBe(401)
  })

  it('authenticates a client as the provider says, also one without a secret', async () => {
    const usesBasic = () =>
      provider.requests.find(({ path }) => path === '/token')?.headers.authorization !== undefined
    expect((await tryIn()).status).toBe(303)
    expect(usesBasic()).toBe(true)

    provider.reset()
    t.clock.advance(601_000)
    const methods = ['client_secret_post']
    provider.behaviour.discovery = { token_endpoint_auth_methods_supported: methods }
    expect((await tryIn()).status).toBe(303)
    expect(usesBasic()).toBe(false)

    const open = await startOidcProvider({ id: 'public', secret: null })
    open.behaviour.now = t.clock.now
    const elsewhere = await newOrg('public-client')
    const fields = { issuer: open.issuer, client_id: 'public', client_secret: null }
    await put(settings({ ...fields, allowed_domains: ['public.example'] }), elsewhere)
    open.behaviour.claims = { email: 'kim@public.example' }
    const { url, cookie } = await begin('', elsewhere)
    expect((await callBack(open.answerTo(url), cookie)).status).toBe(303)
  })

  it('takes address and groups from the UserInfo endpoint if the ID token lacks them', async () => {
    provider.behaviour.claims = { email: undefined, email_verified: undefined }
    expect(pageCode(await tryIn())).toBe('provider_unreachable')
    provider.behaviour.userinfo = { sub: 'ada', email: 'ada@example.com' }
    expect((await tryIn()).status).toBe(303)
    provider.behaviour.userinfo = { sub: 'eve', email: 'ada@example.com' }
    expect(pageCode(await tryIn())).toBe('unreadable')
    provider.behaviour.userinfo = { sub: 'ada', email: 'ada@example.com', email_verified: false }
    expect(pageCode(await tryIn())).toBe('email_unverified')
    provider.behaviour.userinfo = { sub: 'ada' }
    expect(pageCode(await tryIn())).toBe('no_email')
  })

  it('uses a new key of the provider at once', async () => {
    expect((await tryIn()).status).toBe(303)
    provider.keys.set('k2', generateKeyPairSync('rsa', { modulusLength: 2048 }))
    expect((await tryIn()).status).toBe(303)
    provider.keys.delete('k1')
  })

  it('follows the groups of the provider up and down at every sign-in', async () => {
    const role_mapping = [
      { group: 'audit', role: 'auditor' },
      { group: 'it', role: 'admin' },
    ]
    await put(settings({ role_mapping, groups_claim: 'roles' }))
    const roleWith = async (roles: unknown) => {
      provider.behaviour.claims = { sub: 'grace', email: 'grace@example.com', roles }
      return roleOf(await signIn())
    }
    expect(await roleWith(['audit'])).toBe('auditor')
    expect(await roleWith(['audit', 'it'])).toBe('admin')
    expect(await roleWith('audit')).toBe('auditor')
    expect(await roleWith([])).toBe('member')
    // Unknown groups must not cost somebody their role.
    provider.behaviour.claims = { sub: 'grace', email: 'grace@example.com' }
    expect(pageCode(await tryIn())).toBe('provider_unreachable')
    provider.behaviour.userinfo = { sub: 'grace', roles: ['it'] }
    expect(await roleOf(await signIn())).toBe('admin')
  })

  it('never changes the role of an owner', async () => {
    provider.behaviour.claims = { sub: 'boss', email: 'boss@example.com', roles: [] }
    const token = await signIn()
    const userId = (await t.call('GET', '/v1/auth/me', { token })).body.user_id
    await t.call('PATCH', `/v1/orgs/${org}/members/${userId}`, {
      token: owner,
      body: { role: 'owner' },
    })
    expect(await roleOf(await signIn())).toBe('owner')
  })

  it('does not take a person of a former provider for one of the present', async () => {
    const userId = async (token: string) =>
      (await t.call('GET', '/v1/auth/me', { token })).body.user_id
    await put(settings())
    const before = await userId(await signIn())
    const successor = await startOidcProvider(CLIENT)
    successor.behaviour.now = t.clock.now
    const elsewhere = await newOrg('successor')
    const put2 = (issuer: string) =>
      put(settings({ issuer, allowed_domains: ['two.example'] }), elsewhere)
    const subjects: string[] = []
    for (const one of [provider, successor]) {
      await put2(one.issuer)
      one.behaviour.claims = { sub: '1', email: 'one@two.example' }
      const { url, cookie } = await begin('', elsewhere)
      const back = await callBack(one.answerTo(url), cookie)
      subjects.push(await userId((await exchange(codeIn(back), cookie)).body.access_token))
    }
    expect(new Set([before, ...subjects]).size).toBe(3)
  })
})

describe('the refusals of OpenID Connect', () => {
  const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
  const claims: [string, string, Record<string, unknown>][] = [
    ['another issuer', 'wrong_issuer', { iss: 'https://evil.example' }],
    ['another audience', 'wrong_audience', { aud: 'other-client' }],
    ['no audience', 'wrong_audience', { aud: undefined }],
    ['several audiences and no party', 'wrong_audience', { aud: [CLIENT.id, 'other'] }],
    ['another authorized party', 'wrong_audience', { azp: 'other-client' }],
    ['an end in the past', 'not_current', { exp: 1_700_000_000 }],
    ['no end', 'unreadable', { exp: undefined }],
    ['a start in the future', 'not_current', { iat: 4_000_000_000, exp: 4_000_000_300 }],
    ['a later start', 'not_current', { nbf: 4_000_000_000 }],
    ['another nonce', 'wrong_nonce', { nonce: 'x'.repeat(43) }],
    ['no nonce', 'wrong_nonce', { nonce: undefined }],
    ['no subject', 'no_lasting_name', { sub: undefined }],
    ['an unverified address', 'email_unverified', { email_verified: false }],
    ['an unverified address as text', 'email_unverified', { email_verified: 'false' }],
    ['another domain', 'domain_not_allowed', { email: 'ada@elsewhere.test' }],
    ['a domain that only ends alike', 'domain_not_allowed', { email: 'ada@evil-example.com' }],
  ]

  it.each(claims)(
    'are a page for an ID token with %s, and recorded as %s',
    async (_, code, changes) => {
      await put(settings())
      provider.behaviour.claims = changes
      const answer = await tryIn()
      expect(answer.status).toBe(403)
      expect(pageCode(answer)).toBe(code)
      expect((await recorded())[0]).toBe(code)
    },
  )

  it('are a page for every signature that is not one of the provider', async () => {
    provider.behaviour.signWith = stranger
    expect(pageCode(await tryIn())).toBe('signature_invalid')
    provider.behaviour.signWith = Buffer.from(CLIENT.secret.padEnd(32, 'x'))
    provider.behaviour.header = { alg: 'HS256' }
    expect(pageCode(await tryIn())).toBe('signature_invalid')
    provider.reset()
    provider.behaviour.header = { kid: 'unknown' }
    expect(pageCode(await tryIn())).toBe('signature_invalid')
    provider.reset()
    provider.behaviour.omitsIdToken = true
    expect(pageCode(await tryIn())).toBe('token_refused')
  })

  it('are a page for a response of another issuer (mix-up)', async () => {
    provider.behaviour.answer = { iss: 'https://evil.example' }
    expect(pageCode(await tryIn())).toBe('wrong_issuer')
    provider.behaviour.answer = { iss: undefined }
    expect(pageCode(await tryIn())).toBe('wrong_issuer')
    expect(provider.requests.some(({ path }) => path === '/token')).toBe(false)
  })

  it('are a page for a used, unknown or expired state, of this organisation or another', async () => {
    const { url, cookie } = await begin()
    const location = provider.answerTo(url)
    expect((await callBack(location, cookie)).status).toBe(303)
    expect(pageCode(await callBack(location, cookie))).toBe('request_unknown')
    const unknown = location.replace(/state=[^&]+/, 'state=made-up')
    expect(pageCode(await callBack(unknown, cookie))).toBe('request_unknown')

    const late = await begin()
    const lateAnswer = provider.answerTo(late.url)
    t.clock.advance(600_000)
    expect(pageCode(await callBack(lateAnswer, late.cookie))).toBe('request_unknown')

    const elsewhere = await newOrg('other-state')
    await put(settings({ allowed_domains: ['state.example'] }), elsewhere)
    const here = await begin()
    const there = provider.answerTo(here.url).replace(org, elsewhere)
    expect(pageCode(await callBack(there, here.cookie))).toBe('request_unknown')
  })

  it('are a page for a replayed code', async () => {
    const first = await begin()
    const code = new URL(provider.answerTo(first.url)).searchParams.get('code') ?? ''
    provider.behaviour.answer = { code }
    const { url, cookie } = await begin()
    // The code belongs to the first request, whose PKCE verifier the second does not have.
    expect(pageCode(await callBack(provider.answerTo(url), cookie))).toBe('token_refused')
  })

  it('are a page in any browser but the one that started (login CSRF)', async () => {
    const attacker = await begin()
    const victim = await begin()
    const location = provider.answerTo(attacker.url)
    const answer = await callBack(location, victim.cookie)
    expect(pageCode(answer)).toBe('other_browser')
    const bare = await begin()
    expect(pageCode(await callBack(provider.answerTo(bare.url), ''))).toBe('other_browser')
    expect((await recorded())[0]).toBe('other_browser')

    const { url, cookie } = await begin()
    const back = await callBack(provider.answerTo(url), cookie)
    expect((await exchange(codeIn(back), victim.cookie)).status).toBe(401)
  })

  it('are a page when the provider says no or does not answer', async () => {
    const { url, cookie } = await begin()
    provider.behaviour.answer = { code: undefined, error: 'access_denied<script>' }
    const answer = await callBack(provider.answerTo(url), cookie)
    expect(pageCode(answer)).toBe('provider_refused')
    expect(answer.text).not.toContain('<script>')
    const missing = await t.call('GET', '/v1/auth/sso/org-none/login')
    expect([missing.status, pageCode(missing)]).toEqual([404, 'not_configured'])
    const wrongProtocol = await t.call('GET', '/v1/auth/sso/org-none/callback?code=x&state=y')
    expect([wrongProtocol.status, pageCode(wrongProtocol)]).toEqual([404, 'not_configured'])
    t.clock.advance(601_000)
    provider.behaviour.discovery = { issuer: 'https://evil.example' }
    const changed = await t.call('GET', `/v1/auth/sso/${org}/login`)
    expect([changed.status, pageCode(changed)]).toEqual([403, 'provider_invalid'])
  })
})

describe('enforced OpenID Connect', () => {
  it("refuses other sign-ins, except owners', and ends with its configuration", async () => {
    const reads = async (token: string) =>
      (await t.call('GET', `/v1/orgs/${org}/members`, { token })).status
    const login = await t.call('POST', '/v1/auth/refresh', {
      body: { refresh_token: member.refreshToken },
    })
    await put(settings({ enforced: true }))
    const single = await signIn()
    expect(await reads(login.body.access_token)).toBe(403)
    expect(await reads(owner)).toBe(200)
    expect(await reads(single)).toBe(200)
    const removed = await t.call('DELETE', `/v1/orgs/${org}/sso`, { token: owner })
    expect(removed.body.removed).toBe(true)
    expect(await reads(login.body.access_token)).toBe(200)
  })
})
