import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type TestClock, testClock } from '#harness/clock.ts'
import { testDatabase, testNotices } from '#harness/database.ts'
import { type AuditEntry, personActor } from '../../../audit.ts'
import type { Db } from '../../../kernel/db.ts'
import { toOrgId } from '../../../kernel/ids.ts'
import type { Notices } from '../../../kernel/notices.ts'
import { Problem } from '../../../kernel/problem.ts'
import { createSecretBox } from '../../../kernel/secrets.ts'
import type { SsoFields } from './config-service.ts'
import {
  encode,
  metadataXml,
  requestIdOf,
  type SignInParts,
  signedResponse,
} from './identity-provider.fixture.ts'
import { ROLLOVER } from './saml-keys.fixture.ts'
import { createSsoService, type SsoDeps } from './service.ts'

const baseUrl = 'https://touchstone.test'
const origin = { ip: '192.0.2.1', requestId: 'req-1' }
const device = { origin, network: origin.ip, userAgent: null }
const anywhere = { ...device, cookies: undefined }
const actor = personActor('user-owner', origin)
const METADATA_URL = 'https://idp.example.test/metadata'

let db: Db
let notices: Notices
let clock: TestClock
let orgs = 0

beforeAll(async () => {
  const database = await testDatabase()
  db = database.db
  notices = await testNotices(database)
})

/** Fakes for the ports that record their calls; the database is real. */
function createWorld() {
  const entries: AuditEntry[] = []
  const people = new Map<string, string>()
  const known: Parameters<SsoDeps['people']['findOrCreate']>[1][] = []
  const seats = new Map<string, string>()
  const revoked: string[] = []
  const world = { entries, known, seats, metadata: metadataXml(), includesSso: true }
  const deps: SsoDeps = {
    db,
    clock,
    notices,
    baseUrl,
    audit: { record: async (_tx, entry) => void entries.push(entry) },
    outbound: {
      async assertAllowed(url) {
        if (url.includes('10.0.0.1')) throw new Problem('url_not_allowed', 'Not there.')
      },
      async request({ url }) {
        if (url.includes('down')) throw new Error('connect ECONNREFUSED 10.1.2.3:443')
        return { status: 200, body: Buffer.from(world.metadata) }
      },
    },
    people: {
      async findOrCreate(_tx, person) {
        known.push(person)
        const key = `${person.issuer} ${person.subject}`
        const userId = people.get(key) ?? `user-${people.size + 1}`
        people.set(key, userId)
        return { userId }
      },
    },
    memberships: {
      async join(_tx, seat) {
        const key = `${seat.orgId} ${seat.userId}`
        if (seats.has(key)) throw new Problem('conflict', 'Already a member.')
        seats.set(key, seat.role)
      },
      async assignRole(_tx, seat) {
        const key = `${seat.orgId} ${seat.userId}`
        if (seats.get(key) !== 'owner') seats.set(key, seat.role)
      },
    },
    secrets: createSecretBox(Buffer.alloc(32, 7)),
    tokens: {
      async tokensFor(userId) {
        const user = { user_id: userId, email: null }
        const secrets = { access_token: 'a', refresh_token: 'r' }
        return { ...secrets, token_type: 'Bearer', expires_in: 900, user }
      },
      revokeIssuer: async (_tx, issuer) => void revoked.push(issuer),
    },
    plans: { includesSso: async () => world.includesSso },
  }
  return { ...world, world, sso: createSsoService(deps) }
}

type World = ReturnType<typeof createWorld>

const usual: SsoFields = {
  connection: { protocol: 'saml', metadataUrl: METADATA_URL },
  idpName: 'Example',
  defaultRole: 'member',
  roleMapping: [],
  groupsClaim: 'groups',
  allowedDomains: ['example.com'],
  enforced: false,
}

const at = (metadataUrl: string) => ({ protocol: 'saml' as const, metadataUrl })

/** A new organisation with its own domain, so that tests do not interfere. */
async function setUp(fields: Partial<SsoFields> = {}) {
  const world = createWorld()
  orgs += 1
  const orgId = `org-${orgs}`
  const domain = `d${orgs}.example.com`
  const given = { ...usual, allowedDomains: [domain], ...fields }
  await world.sso.configure({ orgId, actor, fields: given })
  const browser: { cookies: string | undefined } = { cookies: undefined }
  return { ...world, orgId, domain, email: `ada@${domain}`, browser }
}

type Place = World & {
  orgId: string
  email: string
  browser: { cookies: string | undefined }
}

async function begin(place: Place, options = {}): Promise<string> {
  const login = { returnTo: null, state: null, ...options }
  const step = await place.sso.login(place.orgId, login, {
    ...device,
    cookies: place.browser.cookies,
  })
  if (step.kind !== 'redirect') return ''
  place.browser.cookies = step.cookie.split(';')[0]
  return requestIdOf(step.url)
}

/** Where the browser goes next, or the code of the page it is shown. */
async function accept(place: Place, response: string): Promise<string> {
  const back = await place.sso.accept(place.orgId, response, anywhere)
  return back.kind === 'redirect' ? back.url : codeOf(back.page)
}

const codeOf = (page: { html: string }) => /<dd><code>(\w+)<\/code>/.exec(page.html)?.[1] ?? ''

const exchange = (place: Place, code: string) =>
  place.sso.exchange(code, { ...device, cookies: place.browser.cookies })

function answer(place: Place, requestId: string, parts: Partial<SignInParts> = {}): string {
  const base = `${baseUrl}/v1/auth/sso/${place.orgId}`
  const meant = { now: clock.now(), acsUrl: `${base}/acs`, audience: `${base}/metadata` }
  const assertionId = `_a${requestId.slice(1, 20)}`
  return encode(signedResponse({ ...meant, requestId, nameId: place.email, assertionId, ...parts }))
}

async function signIn(place: Place, parts: Partial<SignInParts> = {}): Promise<URL> {
  const response = answer(place, await begin(place), parts)
  return new URL(await accept(place, response))
}

const codeIn = (url: URL) => url.searchParams.get('code') ?? ''
const actions = (place: World) => place.entries.map((entry) => entry.action)

beforeEach(() => {
  clock = testClock()
})

describe('configuration', () => {
  it('is tested, stored, read back and recorded in the audit log', async () => {
    const place = await setUp({
      allowedDomains: ['B.example.net ', 'a.example.net', 'b.example.net'],
    })
    const found = await place.sso.find(place.orgId)
    expect(found?.config).toMatchObject({
      allowedDomains: ['a.example.net', 'b.example.net'],
      provider: { entityId: 'https://idp.example.test/entity', binding: 'redirect' },
      createdAt: clock.now(),
    })
    expect(found?.sp).toEqual({
      entityId: `${baseUrl}/v1/auth/sso/${place.orgId}/metadata`,
      acsUrl: `${baseUrl}/v1/auth/sso/${place.orgId}/acs`,
    })
    clock.advance(1000)
    const fields = { ...usual, allowedDomains: ['a.example.net'], enforced: true }
    await place.sso.configure({ orgId: place.orgId, actor, fields })
    expect(actions(place)).toEqual(['sso.configured', 'sso.updated'])
    expect(place.entries[1]?.changes).toEqual({
      allowed_domains: { from: 'a.example.net b.example.net', to: 'a.example.net' },
      enforced: { from: false, to: true },
    })
  })

  it('assigns a domain to one organisation only, until it is released', async () => {
    const first = await setUp()
    const again = { ...usual, allowedDomains: [first.domain] }
    const second = await setUp()
    const taken = second.sso.configure({ orgId: second.orgId, actor, fields: again })
    await expect(taken).rejects.toMatchObject({ code: 'conflict' })
    expect((await second.sso.find(second.orgId))?.config.allowedDomains).toEqual([second.domain])
    await first.sso.remove(first.orgId, actor)
    expect(await first.sso.find(first.orgId)).toBeUndefined()
    await second.sso.configure({ orgId: second.orgId, actor, fields: again })
    expect(actions(second)).toEqual(['sso.configured', 'sso.updated'])
    await expect(first.sso.remove(first.orgId, actor)).rejects.toMatchObject({ code: 'not_found' })
  })

  it('is not stored if its metadata, URL or domains are invalid', async () => {
    const { sso, world } = createWorld()
    const attempt = (fields: Partial<SsoFields>) =>
      sso.configure({ orgId: 'org-none', actor, fields: { ...usual, ...fields } })
    const refusedUrl = attempt({ connection: at('https://10.0.0.1/') })
    await expect(refusedUrl).rejects.toMatchObject({ code: 'url_not_allowed' })
    const noDomain = attempt({ allowedDomains: ['localhost'] })
    await expect(noDomain).rejects.toMatchObject({ code: 'invalid_request' })
    const unreachable = attempt({ connection: at('https://down.example.test/') })
    await expect(unreachable).rejects.toMatchObject({ code: 'invalid_request' })
    world.metadata = '<html/>'
    await expect(attempt({})).rejects.toMatchObject({ code: 'invalid_request' })
    expect(await sso.find('org-none')).toBeUndefined()
  })
})

describe('test', () => {
  it('checks the given or stored metadata URL and does not reveal network details', async () => {
    const { sso, orgId, world } = await setUp()
    expect(await sso.test(orgId, undefined)).toEqual({
      target: { metadataUrl: METADATA_URL },
      error: null,
    })
    const down = await sso.test(orgId, { metadataUrl: 'https://down.example.test/' })
    expect(down.error).toMatch(/could not be fetched/)
    expect(down.error).not.toMatch(/ECONNREFUSED|10\./)
    world.metadata = '<!DOCTYPE x []><x/>'
    expect((await sso.test(orgId, { metadataUrl: METADATA_URL })).error).toMatch(/DTD/)
    const refused = sso.test(orgId, { metadataUrl: 'https://10.0.0.1/' })
    await expect(refused).rejects.toMatchObject({ code: 'url_not_allowed' })
    const none = sso.test('org-none', undefined)
    await expect(none).rejects.toMatchObject({ code: 'invalid_request' })
  })
})

describe('signing in', () => {
  it('creates the person and a membership and returns a code that works once', async () => {
    const place = await setUp({ defaultRole: 'auditor' })
    const requestId = await begin(place, { returnTo: '/agents?x=1', state: 's1' })
    const url = new URL(await accept(place, answer(place, requestId)))
    expect(`${url.origin}${url.pathname}`).toBe(`${baseUrl}/sign-in/sso`)
    expect(url.searchParams.get('return_to')).toBe('/agents?x=1')
    expect(url.searchParams.get('state')).toBe('s1')
    expect(place.known).toMatchObject([
      {
        issuer: `saml:${place.orgId}`,
        subject: place.email,
        email: place.email,
        // Otherwise a tenant's own provider could verify any address.
        emailVerified: false,
      },
    ])
    expect(place.seats).toEqual(new Map([[`${place.orgId} user-1`, 'auditor']]))
    const tokens = await exchange(place, codeIn(url))
    expect(tokens.user.user_id).toBe('user-1')
    expect(actions(place).slice(1)).toEqual(['sso.member_joined', 'sso.signed_in'])
    const twice = exchange(place, codeIn(url))
    await expect(twice).rejects.toMatchObject({ code: 'unauthorized' })
  })

  it('keeps the role of a member and adds a removed member again', async () => {
    const place = await setUp()
    const seat = `${place.orgId} user-1`
    await signIn(place)
    place.seats.set(seat, 'admin')
    await signIn(place)
    expect(place.seats.get(seat)).toBe('admin')
    place.seats.delete(seat)
    await signIn(place)
    expect(place.seats.get(seat)).toBe('member')
    const joined = actions(place).filter((action) => action === 'sso.member_joined')
    expect(joined).toHaveLength(2)
  })

  it('follows the groups of the provider up and down, but never changes an owner', async () => {
    const place = await setUp({
      defaultRole: 'member',
      roleMapping: [
        { group: 'auditors', role: 'auditor' },
        { group: 'it', role: 'admin' },
      ],
    })
    const seat = `${place.orgId} user-1`
    const roleWith = async (groups: string) => {
      await signIn(place, { attributes: { groups } })
      return place.seats.get(seat)
    }
    expect(await roleWith('auditors')).toBe('auditor')
    expect(await roleWith('it')).toBe('admin')
    expect(await roleWith('nobody')).toBe('member')
    place.seats.set(seat, 'owner')
    expect(await roleWith('nobody')).toBe('owner')
  })

  it('expires the code after 60 seconds and the request after 10 minutes', async () => {
    const place = await setUp()
    const fresh = codeIn(await signIn(place))
    clock.advance(59_999)
    await exchange(place, fresh)
    const stale = codeIn(await signIn(place))
    clock.advance(60_000)
    await expect(exchange(place, stale)).rejects.toMatchObject({ code: 'unauthorized' })
    const intime = await begin(place)
    const late = await begin(place)
    clock.advance(599_999)
    expect(await accept(place, answer(place, intime))).toMatch(/code=/)
    clock.advance(1)
    expect(await accept(place, answer(place, late))).toBe('request_unknown')
  })
})

describe('refusals', () => {
  it('accepts each response once, even for concurrent uses', async () => {
    const place = await setUp()
    const response = answer(place, await begin(place))
    const use = () => accept(place, response)
    const outcomes = await Promise.all([use(), use(), use()])
    expect(outcomes.filter((outcome) => outcome.includes('code='))).toHaveLength(1)
    expect(await use()).toBe('replayed')
    const reason = { reason: { from: null, to: 'replayed' } }
    expect(place.entries.at(-1)).toMatchObject({ action: 'sso.sign_in_refused', changes: reason })
  })

  it('gives tokens only to the browser that started the sign-in', async () => {
    const attacker = await setUp()
    const code = codeIn(await signIn(attacker))
    const victim = { ...attacker, browser: { cookies: undefined } }
    await begin(victim)
    await expect(exchange(victim, code)).rejects.toMatchObject({ code: 'unauthorized' })
    expect(attacker.entries.at(-1)?.changes).toEqual({
      reason: { from: null, to: 'other_browser' },
    })
    // The code is used up, so trying browsers is pointless.
    await expect(exchange(attacker, code)).rejects.toMatchObject({ code: 'unauthorized' })
  })

  it('lets one browser sign in twice at the same time', async () => {
    const place = await setUp()
    const [first, second] = [await begin(place), await begin(place)]
    for (const requestId of [second, first]) {
      const url = new URL(await accept(place, answer(place, requestId)))
      expect((await exchange(place, codeIn(url))).access_token).toBe('a')
    }
  })

  it('accepts one response per request', async () => {
    const place = await setUp()
    const requestId = await begin(place)
    await accept(place, answer(place, requestId))
    const second = answer(place, requestId, { assertionId: '_another' })
    expect(await accept(place, second)).toBe('request_unknown')
  })

  it("refuses another organisation's request and an unknown one", async () => {
    const place = await setUp()
    const other = await setUp()
    for (const requestId of [await begin(other), '_made-up-request']) {
      expect(await accept(place, answer(place, requestId))).toBe('request_unknown')
    }
    expect(place.known).toEqual([])
  })

  it("records the provider's mistakes in the audit log, but not forgeries", async () => {
    const place = await setUp()
    const forged = encode(
      signedResponse(
        { now: clock.now(), requestId: '_r', acsUrl: 'x', audience: 'x' },
        { pair: ROLLOVER },
      ),
    )
    expect(await accept(place, forged)).toBe('wrong_recipient')
    expect(actions(place)).toEqual(['sso.configured'])
    const stranger = answer(place, await begin(place), { nameId: 'ada@elsewhere.test' })
    expect(await accept(place, stranger)).toBe('domain_not_allowed')
    expect(place.entries.at(-1)).toMatchObject({
      action: 'sso.sign_in_refused',
      actor: { type: 'system', ip: origin.ip },
      changes: { reason: { from: null, to: 'domain_not_allowed' } },
    })
  })

  it('is not_found for an organisation without single sign-on', async () => {
    const { sso, world } = createWorld()
    const missing = { kind: 'refused', page: { status: 404 } }
    const options = { returnTo: null, state: null }
    expect(await sso.login('org-none', options, anywhere)).toMatchObject(missing)
    expect(await sso.accept('org-none', 'x', anywhere)).toMatchObject(missing)
    world.includesSso = false
    await expect(sso.metadata('org-none')).rejects.toMatchObject({ code: 'not_found' })
  })
})

describe('checkDomain', () => {
  it('finds the organisation of an address while its plan includes single sign-on', async () => {
    const { sso, orgId, email, world } = await setUp({ enforced: true })
    const loginUrl = `${baseUrl}/v1/auth/sso/${orgId}/login`
    expect(await sso.checkDomain(email)).toEqual({ orgId, loginUrl, enforced: true })
    expect(await sso.checkDomain(`${email}.evil.test`)).toBeUndefined()
    world.includesSso = false
    expect(await sso.checkDomain(email)).toBeUndefined()
  })
})

describe('enforcedOrgs', () => {
  it('sees local changes immediately and those of other nodes soon', async () => {
    const here = await setUp({ enforced: true })
    const there = createWorld()
    const both = async () => [
      [...(await here.sso.enforcedOrgs([here.orgId, 'org-none']))],
      [...(await there.sso.enforcedOrgs([here.orgId]))],
    ]
    expect(await both()).toEqual([[here.orgId], [here.orgId]])
    const fields = { ...usual, allowedDomains: [here.domain] }
    await here.sso.configure({ orgId: here.orgId, actor, fields })
    expect([...(await here.sso.enforcedOrgs([here.orgId]))]).toEqual([])
    await expect.poll(both).toEqual([[], []])
  })

  it('does not include an organisation whose plan lost single sign-on', async () => {
    const { sso, orgId, world } = await setUp({ enforced: true })
    expect((await sso.enforcedOrgs([orgId])).has(orgId)).toBe(true)
    world.includesSso = false
    expect((await sso.enforcedOrgs([orgId])).size).toBe(0)
    expect((await sso.enforcedOrgs([])).size).toBe(0)
  })
})

describe('deletion', () => {
  it('of an organisation stops sign-in and keeps the domain until erasure', async () => {
    const place = await setUp()
    const { sso, orgId, domain, email } = place
    await sso.close(db, toOrgId(orgId))
    expect(await sso.checkDomain(email)).toBeUndefined()
    expect(await begin(place)).toBe('')
    const other = await setUp()
    const claim = () => {
      const fields = { ...usual, allowedDomains: [domain] }
      return other.sso.configure({ orgId: other.orgId, actor, fields })
    }
    await expect(claim()).rejects.toMatchObject({ code: 'conflict' })
    await sso.reopen(db, toOrgId(orgId))
    await signIn(place)
    await sso.erase(db, toOrgId(orgId))
    await claim()
    expect((await other.sso.checkDomain(email))?.orgId).toBe(other.orgId)
  })

  it('of expired requests, codes and assertions happens in the purge', async () => {
    const place = await setUp()
    const waiting = await begin(place)
    const code = codeIn(await signIn(place))
    expect(await place.sso.purge(clock.now())).toBe(0)
    clock.advance(60_000)
    expect(await place.sso.purge(clock.now())).toBeGreaterThan(0)
    await accept(place, answer(place, waiting))
    clock.advance(3_600_000)
    expect(await place.sso.purge(clock.now())).toBeGreaterThan(0)
    expect(await place.sso.purge(clock.now())).toBe(0)
    await expect(exchange(place, code)).rejects.toMatchObject({ code: 'unauthorized' })
  })
})
