import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type TestApp, type TestUser, testApp } from '#harness/app.ts'
import {
  encode,
  IDP_ENTITY_ID,
  IDP_SSO_URL,
  metadataXml,
  requestIdOf,
  type SignInParts,
  signedResponse,
} from '../../packages/server/src/areas/platform/sso/identity-provider.fixture.ts'
import {
  EXPIRED,
  ROLLOVER,
} from '../../packages/server/src/areas/platform/sso/saml-keys.fixture.ts'

let t: TestApp
let owner: string
let org: string
let idp: string
const people: Record<string, TestUser> = {}
const pages: Record<string, string> = {
  '/metadata': metadataXml(),
  '/post': metadataXml({ bindings: ['POST'] }),
  '/expired': metadataXml({ certificates: [EXPIRED.certificate] }),
  '/laughs': `<!DOCTYPE x [<!ENTITY a "ha">]>${metadataXml()}`,
  '/html': '<html/>',
  '/huge': metadataXml() + ' '.repeat(1024 * 1024),
}

beforeAll(async () => {
  idp = await serveMetadata()
  t = await testApp({ env: { ALLOW_LOOPBACK_EGRESS: 'true' } })
  owner = await t.ownerToken()
  org = t.first.org_id
  for (const role of ['admin', 'member']) {
    people[role] = await t.newUser(`${role}@example.com`, { orgId: org, role })
  }
})

const tokenOf = (who: string) => people[who]?.token ?? ''

async function serveMetadata(): Promise<string> {
  const server = createServer((req, res) => {
    const page = pages[req.url ?? '']
    res.writeHead(page === undefined ? 404 : 200, { 'content-type': 'application/xml' }).end(page)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  afterAll(() => new Promise((resolve) => server.close(resolve)))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const settings = (changes = {}) => ({
  metadata_url: `${idp}/metadata`,
  idp_name: 'Example',
  allowed_domains: ['Example.com'],
  ...changes,
})
const put = (body: object, token = owner, orgId = org) =>
  t.call('PUT', `/v1/orgs/${orgId}/sso`, { token, body })
const get = () => t.call('GET', `/v1/orgs/${org}/sso`, { token: owner })
const test = (body: object) => t.call('POST', `/v1/orgs/${org}/sso/test`, { token: owner, body })
const acsUrl = () => `${t.config.baseUrl}/v1/auth/sso/${org}/acs`
const spEntityId = () => `${t.config.baseUrl}/v1/auth/sso/${org}/metadata`

async function newOrg(slug: string): Promise<string> {
  const created = await t.call('POST', '/v1/orgs', { token: owner, body: { name: slug, slug } })
  return created.body.org_id
}

describe('the SSO configuration', () => {
  it('is absent at first, then tested and stored, and returned with every field', async () => {
    expect((await get()).body).toEqual({ configured: false })
    const created = await put(settings())
    expect(created.status).toBe(200)
    expect(created.body).toEqual({
      configured: true,
      org_id: org,
      protocol: 'saml',
      metadata_url: `${idp}/metadata`,
      idp_name: 'Example',
      default_role: 'member',
      role_mapping: [],
      groups_claim: 'groups',
      allowed_domains: ['example.com'],
      enforced: false,
      entity_id: IDP_ENTITY_ID,
      sso_url: IDP_SSO_URL,
      certificate_expires_at: '2099-12-31T23:59:59.000Z',
      acs_url: acsUrl(),
      sp_entity_id: spEntityId(),
      created_at: '2026-03-01T12:00:00.000Z',
      updated_at: '2026-03-01T12:00:00.000Z',
    })
    expect((await get()).body).toEqual(created.body)
  })

  it.each(['/expired', '/laughs', '/html', '/huge', '/missing'])(
    'refuses the metadata at %s with 400',
    async (path) => {
      const answer = await put(settings({ metadata_url: idp + path }))
      expect(answer.status).toBe(400)
      expect(answer.body.error).toBe('invalid_request')
    },
  )

  it.each([
    [{ metadata_url: undefined }, 'metadata_url'],
    [{ allowed_domains: [] }, 'allowed_domains'],
    [{ allowed_domains: ['localhost'] }, 'allowed_domains'],
    [{ allowed_domains: Array.from({ length: 21 }, (_, n) => `d${n}.test`) }, 'allowed_domains'],
    [{ default_role: 'owner' }, 'default_role'],
    [{ enforced: 'yes' }, 'enforced'],
  ])('refuses %j and names the field', async (changes, field) => {
    const answer = await put(settings(changes))
    expect(answer.status).toBe(400)
    expect(answer.body.message).toContain(field)
  })

  it('refuses addresses that the outbound rules forbid with url_not_allowed', async () => {
    for (const url of ['https://10.0.0.1/', 'http://idp.example.com/', 'https://user@a.test/']) {
      const answer = await put(settings({ metadata_url: url }))
      expect([answer.status, answer.body.error]).toEqual([400, 'url_not_allowed'])
    }
  })

  it('refuses a domain of another organisation with 409', async () => {
    const other = await newOrg('other-domain')
    const answer = await put(settings(), owner, other)
    expect([answer.status, answer.body.error]).toEqual([409, 'conflict'])
  })

  it('is for owners only, and not for API keys', async () => {
    expect((await put(settings(), tokenOf('admin'))).status).toBe(403)
    expect((await put(settings(), t.first.api_key)).status).toBe(403)
    expect((await t.call('GET', `/v1/orgs/${org}/sso`)).status).toBe(401)
    expect((await put(settings(), owner, 'org-unknown')).status).toBe(404)
  })

  it('requires the plan feature', async () => {
    const small = await newOrg('small-plan')
    const body = { plan_id: 'plan-team' }
    await t.call('PUT', `/v1/admin/orgs/${small}/plan`, { token: owner, body })
    expect((await put(settings(), owner, small)).status).toBe(403)
  })
})

describe('the SSO test', () => {
  it('reports what is wrong without storing anything', async () => {
    const metadata_url = `${idp}/expired`
    const bad = await test({ metadata_url })
    expect(bad.body).toEqual({
      valid: false,
      error: expect.any(String),
      metadata_url,
      issuer: null,
    })
    expect(bad.body.error).toMatch(/expired/)
    const good = await test({})
    const stored = { metadata_url: `${idp}/metadata`, issuer: null }
    expect(good.body).toEqual({ valid: true, error: null, ...stored })
  })

  it('refuses a forbidden address, and a request with nothing to test', async () => {
    const refused = await test({ metadata_url: 'https://169.254.169.254/latest' })
    expect([refused.status, refused.body.error]).toEqual([400, 'url_not_allowed'])
    const empty = await newOrg('nothing-stored')
    const path = `/v1/orgs/${empty}/sso/test`
    expect((await t.call('POST', path, { token: owner, body: {} })).status).toBe(400)
  })
})

/** The cookie of the browser that signs in. */
let cookie = ''

async function begin(query = ''): Promise<string> {
  const answer = await t.call('GET', `/v1/auth/sso/${org}/login${query}`)
  expect(answer.status).toBe(302)
  cookie = String(answer.headers['set-cookie']).split(';')[0] ?? ''
  return requestIdOf(String(answer.headers.location))
}

let assertions = 0

async function post(requestId: string, parts: Partial<SignInParts> = {}, signing = {}) {
  assertions += 1
  const meant = { now: t.clock.now(), acsUrl: acsUrl(), audience: spEntityId() }
  const assertionId = `_assertion${assertions}`
  const xml = signedResponse({ ...meant, requestId, assertionId, ...parts }, signing)
  return postForm(encode(xml))
}

function postForm(SAMLResponse: string) {
  return t.call('POST', `/v1/auth/sso/${org}/acs`, {
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ SAMLResponse, RelayState: '/evil' }).toString(),
  })
}

const exchange = (code: string) =>
  t.call('POST', '/v1/auth/sso/exchange', { body: { code }, headers: { cookie } })

async function signInWhole(nameId: string) {
  const answer = await post(await begin(), { nameId })
  const code = new URL(String(answer.headers.location)).searchParams.get('code') ?? ''
  return (await exchange(code)).body
}

const signIn = async (nameId: string): Promise<string> => (await signInWhole(nameId)).access_token

describe('signing in with SSO', () => {
  it('is offered to addresses of the domain', async () => {
    const check = (email: string) =>
      t.call('GET', `/v1/auth/sso/check-domain?email=${encodeURIComponent(email)}`)
    expect((await check(' Ada@EXAMPLE.com')).body).toEqual({
      sso: true,
      org_id: org,
      login_url: `${t.config.baseUrl}/v1/auth/sso/${org}/login`,
      enforced: false,
    })
    const none = { sso: false, org_id: null, login_url: null, enforced: false }
    expect((await check('ada@elsewhere.test')).body).toEqual(none)
    expect((await check('ada')).status).toBe(400)
  })

  it('identifies the service to the identity provider', async () => {
    const answer = await t.call('GET', `/v1/auth/sso/${org}/metadata`)
    expect(answer.status).toBe(200)
    expect(answer.headers['content-type']).toContain('application/samlmetadata+xml')
    expect(answer.text).toContain(`entityID="${spEntityId()}"`)
    expect((await t.call('GET', '/v1/auth/sso/org-none/metadata')).status).toBe(404)
    expect((await t.call('GET', '/v1/auth/sso/org-none/login')).status).toBe(404)
  })

  it('redirects through the provider to the console, and exchanges the code for tokens once', async () => {
    const requestId = await begin('?return_to=%2Fagents&state=abc')
    const answer = await post(requestId, { attributes: { displayName: 'Ada' } })
    expect(answer.status).toBe(303)
    const location = new URL(String(answer.headers.location))
    expect(location.href.startsWith(`${t.config.baseUrl}/sign-in/sso?code=`)).toBe(true)
    expect(location.searchParams.get('return_to')).toBe('/agents')
    expect(location.searchParams.get('state')).toBe('abc')
    const code = location.searchParams.get('code') ?? ''
    const tokens = await exchange(code)
    expect(tokens.status).toBe(200)
    expect(tokens.body).toMatchObject({ token_type: 'Bearer', user: { email: 'ada@example.com' } })
    const me = await t.call('GET', '/v1/auth/me', { token: tokens.body.access_token })
    expect(me.body).toMatchObject({
      email: 'ada@example.com',
      name: 'Ada',
      is_platform_admin: false,
      orgs: [{ org_id: org, role: 'member' }],
    })
    expect((await exchange(code)).status).toBe(401)
    expect((await exchange('tso_made-up')).status).toBe(401)
    const stolen = new URL(String((await post(await begin())).headers.location))
    await begin()
    // The answer to the first request reached a browser that started another one.
    expect((await exchange(stolen.searchParams.get('code') ?? '')).status).toBe(401)
    const log = await t.call('GET', `/v1/orgs/${org}/audit-log`, { token: owner })
    const actions = log.body.entries.map((entry: { action: string }) => entry.action)
    expect(actions).toEqual(
      expect.arrayContaining(['sso.configured', 'sso.member_joined', 'sso.signed_in']),
    )
  })

  it('gives access to this organisation only', async () => {
    const token = await signIn('confined@example.com')
    const body = { name: 'Elsewhere', slug: 'elsewhere' }
    expect((await t.call('POST', '/v1/orgs', { token, body })).status).toBe(403)
    const other = await newOrg('other-org')
    await t.call('POST', `/v1/orgs/${other}/invitations`, {
      token: owner,
      body: { email: 'confined@example.com' },
    })
    const accepted = await t.call('POST', '/v1/orgs/invitations/accept', {
      token,
      body: { token: await t.mailedToken('confined@example.com') },
    })
    expect(accepted.status).toBe(403)
    expect((await t.call('GET', `/v1/orgs/${org}`, { token })).status).toBe(200)
  })

  it('never redirects to another site', async () => {
    for (const path of ['//evil.test', 'https://evil.test', '/\\evil.test', 'x']) {
      const query = `?return_to=${encodeURIComponent(path)}`
      expect((await t.call('GET', `/v1/auth/sso/${org}/login${query}`)).status).toBe(400)
    }
  })

  it('serves a self-submitting form if the provider requires one', async () => {
    const other = await newOrg('post-binding')
    const body = settings({ metadata_url: `${idp}/post`, allowed_domains: ['post.example'] })
    await put(body, owner, other)
    const page = await t.call('GET', `/v1/auth/sso/${other}/login`)
    expect(page.status).toBe(200)
    expect(page.headers['content-type']).toContain('text/html')
    expect(page.headers['content-security-policy']).toContain("default-src 'none'")
    expect(page.text).toContain(`action="${IDP_SSO_URL}"`)
  })
})

describe('SSO refusals', () => {
  const refused: Record<string, { parts?: Partial<SignInParts>; signing?: object }> = {
    'a forged signature': { signing: { pair: ROLLOVER } },
    'SHA-1': { signing: { signature: 'sha1' } },
    'another audience': { parts: { audience: 'https://other.test' } },
    'another recipient': { parts: { recipient: 'https://other.test/acs' } },
    'another issuer': { parts: { issuer: 'https://other.test' } },
    'a domain that is not allowed': { parts: { nameId: 'ada@elsewhere.test' } },
    'an unknown request id': { parts: { requestId: '_unknown' } },
    'an old assertion': { parts: { notOnOrAfter: new Date('2026-03-01T11:58:59.000Z') } },
  }

  it.each(Object.entries(refused))(
    'are a page with status 403 for %s',
    async (_name, { parts = {}, signing }) => {
      const answer = await post(await begin(), parts, signing)
      expect(answer.status).toBe(403)
      expect(answer.headers['content-type']).toContain('text/html')
      expect(answer.text).toContain('<h1>Sign-in failed</h1>')
    },
  )

  it('are 403 for a replayed assertion and for a request id used before', async () => {
    const requestId = await begin()
    const meant = { now: t.clock.now(), acsUrl: acsUrl(), audience: spEntityId() }
    const once = encode(signedResponse({ ...meant, requestId, assertionId: '_once' }))
    expect((await postForm(once)).status).toBe(303)
    expect((await postForm(once)).status).toBe(403)
    expect((await post(requestId)).status).toBe(403)
  })

  it('are 403 for an invalid response, 400 for none and 415 for JSON', async () => {
    expect((await postForm('AAAA')).status).toBe(403)
    expect((await postForm('')).status).toBe(400)
    const json = { body: { SAMLResponse: 'AAAA' } }
    expect((await t.call('POST', `/v1/auth/sso/${org}/acs`, json)).status).toBe(415)
  })
})

describe('enforced SSO', () => {
  it("refuses other sign-ins, except owners', until it is disabled", async () => {
    const reads = async (token: string) =>
      (await t.call('GET', `/v1/orgs/${org}/members`, { token })).status
    const { access_token: single, refresh_token: refreshToken } =
      await signInWhole('grace@example.com')
    expect(await reads(tokenOf('member'))).toBe(200)
    expect((await put(settings({ enforced: true }))).body.enforced).toBe(true)
    expect(await reads(tokenOf('member'))).toBe(403)
    expect(await reads(owner)).toBe(200)
    expect(await reads(single)).toBe(200)
    const removed = await t.call('DELETE', `/v1/orgs/${org}/sso`, { token: owner })
    expect(removed.body).toEqual({ removed: true, note: expect.any(String) })
    expect(await reads(tokenOf('member'))).toBe(200)
    const refreshed = await t.call('POST', '/v1/auth/refresh', {
      body: { refresh_token: refreshToken },
    })
    expect(refreshed.status).toBe(401)
    expect((await get()).body).toEqual({ configured: false })
    expect((await t.call('DELETE', `/v1/orgs/${org}/sso`, { token: owner })).status).toBe(404)
    expect((await t.call('GET', `/v1/auth/sso/${org}/login`)).status).toBe(404)
  })
})

describe('SSO rate limits', () => {
  it('count per client address, with or without a credential', async () => {
    const limited = await testApp({ env: { RATE_LIMITS: 'on' } })
    const token = await limited.ownerToken()
    const statuses: number[] = []
    for (let n = 0; n < 31; n += 1) {
      limited.clock.advance(1000)
      const call = { body: { code: 'x' }, ...(n % 2 === 0 ? {} : { token }) }
      statuses.push((await limited.call('POST', '/v1/auth/sso/exchange', call)).status)
    }
    expect(statuses).toEqual([...Array.from({ length: 30 }, () => 401), 429])
  })
})
