import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { testClock } from '#harness/clock.ts'
import { createKeySets } from './issuer-client.ts'
import { createTokenVerifier } from './verify-service.ts'

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const ed = generateKeyPairSync('ed25519')
const stranger = generateKeyPairSync('rsa', { modulusLength: 2048 })

const jwk = (key: KeyObject, kid: string) => ({ ...key.export({ format: 'jwk' }), kid, use: 'sig' })
const KEYS = [jwk(rsa.publicKey, 'rsa'), jwk(ec.publicKey, 'ec'), jwk(ed.publicKey, 'ed')]

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    server.close()
  }
})

async function listen(handler: RequestListener): Promise<string> {
  const server = createServer(handler)
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** A real issuer over HTTP whose keys and availability the test can change. */
async function createIssuer() {
  const state = { keys: KEYS as unknown[], up: true, fetches: 0 }
  const url: string = await listen((req, res) => {
    if (!state.up) return void res.writeHead(503).end()
    if (req.url === '/.well-known/openid-configuration') {
      return void res.end(JSON.stringify({ issuer: url, jwks_uri: `${url}/keys` }))
    }
    state.fetches += 1
    res.end(JSON.stringify({ keys: state.keys }))
  })
  return { url, state }
}

function verifierFor(url: string, jwksUri?: string) {
  const clock = testClock()
  const errors: unknown[] = []
  const keySets = createKeySets({ clock, onError: (err) => void errors.push(err) })
  const verifier = createTokenVerifier({
    clock,
    ownIssuer: 'http://localhost:8787',
    ownKeys: {
      find: async (kid) => (kid === 'own' ? ({ ...jwk(ed.publicKey, 'own') } as never) : undefined),
    },
    issuers: [{ issuer: url, audience: 'dashboard', jwksUri }],
    keySets,
  })
  return { clock, errors, verify: verifier.verify }
}

type Parts = { header?: object; claims?: object; by?: (input: string) => Buffer }

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const byRsa = (input: string) => sign('sha256', Buffer.from(input), rsa.privateKey)

function tokenOf(issuer: string, now: Date, parts: Parts = {}): string {
  const seconds = Math.floor(now.getTime() / 1000)
  const claims = { iss: issuer, aud: 'dashboard', sub: 'u1', iat: seconds, exp: seconds + 600 }
  const header = encode({ alg: 'RS256', kid: 'rsa', ...parts.header })
  const input = `${header}.${encode({ ...claims, ...parts.claims })}`
  return `${input}.${(parts.by ?? byRsa)(input).toString('base64url')}`
}

async function setUp() {
  const issuer = await createIssuer()
  const { clock, verify, errors } = verifierFor(issuer.url)
  const make = (parts?: Parts) => tokenOf(issuer.url, clock.now(), parts)
  return { issuer, clock, verify, errors, make }
}

describe('genuine tokens', () => {
  it.each([
    ['RS256', 'rsa', byRsa],
    [
      'PS256',
      'rsa',
      (input: string) =>
        sign('sha256', Buffer.from(input), { key: rsa.privateKey, padding: 6, saltLength: 32 }),
    ],
    [
      'ES256',
      'ec',
      (input: string) =>
        sign('sha256', Buffer.from(input), { key: ec.privateKey, dsaEncoding: 'ieee-p1363' }),
    ],
    ['EdDSA', 'ed', (input: string) => sign(null, Buffer.from(input), ed.privateKey)],
  ] as const)('are accepted when signed with %s', async (alg, kid, by) => {
    const { verify, make } = await setUp()
    const found = await verify(make({ header: { alg, kid }, by }))
    expect(found).toMatchObject({ isOwn: false, claims: { sub: 'u1' } })
  })

  it('are accepted with our audience among several', async () => {
    const { verify, make } = await setUp()
    expect(await verify(make({ claims: { aud: ['x', 'dashboard'] } }))).toBeDefined()
  })

  it('of this service are marked as such and must be signed with its key', async () => {
    const { verify, clock } = await setUp()
    const by = (input: string) => sign(null, Buffer.from(input), ed.privateKey)
    const own = (kid: string) =>
      tokenOf('http://localhost:8787', clock.now(), {
        header: { alg: 'EdDSA', kid },
        claims: { aud: 'touchstone' },
        by,
      })
    expect(await verify(own('own'))).toMatchObject({ isOwn: true })
    expect(await verify(own('other'))).toBeUndefined()
  })
})

describe('forged and broken tokens', () => {
  const noSignature = () => Buffer.alloc(0)
  const rsaPem = rsa.publicKey.export({ format: 'pem', type: 'spki' })
  const byStranger = (input: string) => sign('sha256', Buffer.from(input), stranger.privateKey)
  const cases: [string, Parts][] = [
    ['signed by a stranger', { by: byStranger }],
    ['with alg none', { header: { alg: 'none' }, by: noSignature }],
    [
      'with HS256 over the public key',
      {
        header: { alg: 'HS256' },
        by: (input) => createHmac('sha256', rsaPem).update(input).digest(),
      },
    ],
    ['with an algorithm of another key type', { header: { alg: 'ES256' } }],
    [
      'that bring their own key',
      { header: { jwk: jwk(stranger.publicKey, 'rsa') }, by: byStranger },
    ],
    ['with an unknown critical header', { header: { crit: ['b64'], b64: false } }],
    ['without kid', { header: { kid: undefined } }],
    ['for another audience', { claims: { aud: 'other' } }],
    ['from an issuer nobody configured', { claims: { iss: 'https://evil.example' } }],
    ['without a signature', { by: noSignature }],
    ['without sub', { claims: { sub: undefined } }],
    ['without aud', { claims: { aud: undefined } }],
    ['without iat', { claims: { iat: undefined } }],
    ['without exp', { claims: { exp: undefined } }],
    ['that are not valid yet', { claims: { nbf: 4_000_000_000 } }],
  ]

  it.each(cases)('%s are refused', async (_name, parts) => {
    const { verify, make } = await setUp()
    expect(await verify(make())).toBeDefined()
    expect(await verify(make(parts))).toBeUndefined()
  })

  it('never cause a fetch from an address in their header', async () => {
    let requests = 0
    const evil = await listen((_req, res) => {
      requests += 1
      res.end(JSON.stringify({ keys: [jwk(stranger.publicKey, 'mine')] }))
    })
    const { verify, make } = await setUp()
    const header = { kid: 'mine', jku: evil, x5u: evil }
    expect(await verify(make({ header, by: byStranger }))).toBeUndefined()
    expect(requests).toBe(0)
  })

  it('are refused when a single byte differs from a genuine token', async () => {
    const { verify, make } = await setUp()
    const token = make()
    for (let at = 0; at < token.length; at += 7) {
      const other = token[at] === 'A' ? 'B' : 'A'
      const changed = `${token.slice(0, at)}${other}${token.slice(at + 1)}`
      // The last character of a part may carry padding bits that decoding drops.
      if (Buffer.from(changed, 'base64url').equals(Buffer.from(token, 'base64url'))) continue
      expect(await verify(changed), `byte ${at}`).toBeUndefined()
    }
  })

  it.each(['', 'x', 'a.b', 'a.b.c', '..', 'a.b.c.d.e', '💥.💥.💥'])(
    'like "%s" are refused',
    async (token) => {
      const { verify } = await setUp()
      expect(await verify(token)).toBeUndefined()
    },
  )

  it('are refused after expiry, according to the injected clock', async () => {
    const { verify, make, clock } = await setUp()
    const token = make()
    clock.advance(659_000)
    expect(await verify(token)).toBeDefined()
    clock.advance(1000)
    expect(await verify(token)).toBeUndefined()
  })
})

describe('key sets', () => {
  it('are fetched once for many requests at the same time', async () => {
    const { verify, make, issuer } = await setUp()
    const found = await Promise.all(Array.from({ length: 20 }, () => verify(make())))
    expect(found.every((token) => token !== undefined)).toBe(true)
    expect(issuer.state.fetches).toBe(1)
  })

  it('are fetched from jwks_uri without discovery if it is configured', async () => {
    const issuer = await createIssuer()
    const { verify, clock } = verifierFor('https://id.example', `${issuer.url}/direct`)
    expect(await verify(tokenOf('https://id.example', clock.now()))).toBeDefined()
  })

  it('are fetched again for an unknown key id, at most once a minute', async () => {
    const { verify, make, issuer, clock } = await setUp()
    await verify(make())
    const next = { header: { kid: 'new' } }
    expect(await verify(make(next))).toBeUndefined()
    expect(issuer.state.fetches).toBe(2)
    issuer.state.keys = [jwk(rsa.publicKey, 'new')]
    clock.advance(59_999)
    for (let i = 0; i < 5; i += 1) expect(await verify(make(next))).toBeUndefined()
    expect(issuer.state.fetches).toBe(2)
    clock.advance(1)
    expect(await verify(make(next))).toBeDefined()
    expect(await verify(make())).toBeUndefined()
    expect(issuer.state.fetches).toBe(3)
  })

  it('include a key that was rotated right after the first fetch', async () => {
    const { verify, make, issuer } = await setUp()
    await verify(make())
    issuer.state.keys = [...KEYS, jwk(rsa.publicKey, 'new')]
    expect(await verify(make({ header: { kid: 'new' } }))).toBeDefined()
  })

  it('are fetched again after ten minutes, so that a withdrawn key stops working', async () => {
    const { verify, make, issuer, clock } = await setUp()
    await verify(make())
    issuer.state.keys = [jwk(ec.publicKey, 'ec')]
    clock.advance(600_000)
    expect(await verify(make())).toBeUndefined()
  })

  it('stay usable for a day while the issuer is down', async () => {
    const { verify, make, issuer, clock, errors } = await setUp()
    await verify(make())
    issuer.state.up = false
    clock.advance(24 * 3_600_000)
    expect(await verify(make())).toBeDefined()
    expect(errors).toHaveLength(1)
    clock.advance(1)
    expect(await verify(make())).toBeUndefined()
    issuer.state.up = true
    clock.advance(10_000)
    expect(await verify(make())).toBeDefined()
  })
})

describe('key sets of a misbehaving issuer', () => {
  const large = JSON.stringify({ keys: KEYS, pad: 'x'.repeat(256 * 1024) })
  const redirectTo = (location: string): RequestListener => {
    return (_req, res) => void res.writeHead(302, { location }).end(JSON.stringify({ keys: KEYS }))
  }
  const cases: [string, RequestListener, RegExp][] = [
    ['too large', (_req, res) => void res.end(large), /more than 262144 bytes/],
    ['not JSON', (_req, res) => void res.end('<html>'), /JSON/],
    ['not a key set', (_req, res) => void res.end('{}'), /not a JWKS/],
    ['redirected to https', redirectTo('https://127.0.0.1:1/'), /another scheme/],
    ['redirected to a file', redirectTo('file:///etc/passwd'), /another scheme/],
    ['redirected in a loop', redirectTo('/'), /too often/],
    ['missing', (_req, res) => void res.writeHead(404).end(), /answered 404/],
  ]

  it.each(cases)('are refused when %s', async (_name, handler, reason) => {
    const { verify, errors, clock } = verifierFor('https://id.example', await listen(handler))
    expect(await verify(tokenOf('https://id.example', clock.now()))).toBeUndefined()
    expect(errors).toEqual([
      expect.objectContaining({
        cause: expect.objectContaining({ message: expect.stringMatching(reason) }),
      }),
    ])
  })

  it('are accepted after a redirect within the same scheme', async () => {
    const issuer = await createIssuer()
    const front = await listen(
      (_req, res) => void res.writeHead(301, { location: `${issuer.url}/keys` }).end(),
    )
    const { verify, clock } = verifierFor('https://id.example', front)
    expect(await verify(tokenOf('https://id.example', clock.now()))).toBeDefined()
  })

  it('are refused when the discovery document names another issuer', async () => {
    const url: string = await listen((_req, res) => {
      res.end(
        JSON.stringify({ issuer: 'https://other.example', jwks_uri: `${url}/keys`, keys: KEYS }),
      )
    })
    const { verify, clock } = verifierFor(url)
    expect(await verify(tokenOf(url, clock.now()))).toBeUndefined()
  })

  it('that never arrive delay one request by five seconds and the next not at all', async () => {
    let requests = 0
    const url = await listen((_req, res) => {
      requests += 1
      res.write('{')
    })
    const { verify, clock } = verifierFor('https://id.example', url)
    const token = tokenOf('https://id.example', clock.now())
    const start = performance.now()
    expect(await verify(token)).toBeUndefined()
    // No upper bound: without a timeout this never ends, and a busy machine may take longer.
    expect(performance.now() - start).toBeGreaterThan(4500)
    expect(await verify(token)).toBeUndefined()
    expect(requests).toBe(1)
  })
})
