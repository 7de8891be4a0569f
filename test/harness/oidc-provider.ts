import { createHash, generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { SignJWT } from 'jose'
import { onFileFinished } from './on-file-finished.ts'

type Claims = Record<string, unknown>

/** Deviations of a provider that otherwise behaves as the standard says. */
export type Behaviour = {
  /** Merged into the discovery document; undefined removes a field. */
  discovery: Claims
  /** Merged into the ID token; undefined removes a claim. */
  claims: Claims
  /** Merged into the header of the ID token. */
  header: { alg?: string; kid?: string }
  /** Signs the ID token instead of the provider's key. */
  signWith: KeyObject | Uint8Array | undefined
  /** The answer of the UserInfo endpoint; undefined answers 404. */
  userinfo: Claims | undefined
  /** Merged into the redirect to the client; undefined removes a parameter. */
  answer: Record<string, string | undefined>
  /** The access and refresh tokens are there, the ID token is not. */
  omitsIdToken: boolean
  now: () => Date
}

type Grant = { nonce: string; challenge: string; redirectUri: string }

/**
 * An OpenID provider over HTTP that checks what providers check: client, redirect URI, PKCE and
 * one-time codes. A test changes single things about it, which a real one does not allow.
 */
export async function startOidcProvider(client: { id: string; secret: string | null }) {
  const state: State = {
    client,
    issuer: '',
    keys: new Map([['k1', generateKeyPairSync('rsa', { modulusLength: 2048 })]]),
    grants: new Map(),
    requests: [],
    behaviour: usualBehaviour(),
  }
  const server = createServer((req, res) => {
    const path = new URL(req.url ?? '', state.issuer).pathname
    state.requests.push({ method: req.method ?? '', path, headers: req.headers })
    const respond = RESPONSES[path] ?? answerNotFound
    respond(state, req).then(
      ({ status, body, location }) => {
        res.writeHead(status, {
          'content-type': 'application/json',
          ...(location === undefined ? {} : { location }),
        })
        res.end(JSON.stringify(body))
      },
      (err: unknown) => res.writeHead(500).end(String(err)),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onFileFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  // The cast holds because address() returns a string only for pipes.
  state.issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    issuer: state.issuer,
    keys: state.keys,
    requests: state.requests,
    behaviour: state.behaviour,

    /** The behaviour of the standard again; forgets the requests. */
    reset(): void {
      Object.assign(state.behaviour, usualBehaviour(), { now: state.behaviour.now })
      state.requests.length = 0
    },

    /** Signs the person in at once; returns where their browser is sent. */
    answerTo: (authorizationUrl: string): string => answerTo(state, authorizationUrl),
  }
}

type State = {
  client: { id: string; secret: string | null }
  issuer: string
  keys: Map<string, { publicKey: KeyObject; privateKey: KeyObject }>
  grants: Map<string, Grant>
  requests: { method: string; path: string; headers: IncomingMessage['headers'] }[]
  behaviour: Behaviour
}

type Response = { status: number; body: unknown; location?: string }

const answerNotFound = async (): Promise<Response> => ({ status: 404, body: {} })

const RESPONSES: Record<string, (state: State, req: IncomingMessage) => Promise<Response>> = {
  '/.well-known/openid-configuration': async (state) => ({ status: 200, body: discovery(state) }),
  '/jwks': async (state) => ({ status: 200, body: { keys: publicKeys(state) } }),
  '/authorize': async (state, req) => {
    const location = answerTo(state, `${state.issuer}${req.url}`)
    return { status: 302, body: {}, location }
  },
  '/token': issueTokens,
  '/userinfo': async ({ behaviour }, req) => {
    if (req.headers.authorization !== 'Bearer access') return { status: 401, body: {} }
    const { userinfo } = behaviour
    return { status: userinfo === undefined ? 404 : 200, body: userinfo ?? {} }
  },
}

function usualBehaviour(): Behaviour {
  return {
    discovery: {},
    claims: {},
    header: {},
    signWith: undefined,
    userinfo: undefined,
    answer: {},
    omitsIdToken: false,
    now: () => new Date(),
  }
}

function answerTo(state: State, authorizationUrl: string): string {
  const asked = new URL(authorizationUrl).searchParams
  const get = (name: string) => asked.get(name) ?? ''
  const checks = {
    response_type: get('response_type') === 'code',
    client_id: get('client_id') === state.client.id,
    scope: get('scope').split(' ').includes('openid'),
    code_challenge_method: get('code_challenge_method') === 'S256',
    state: get('state').length >= 43,
    nonce: get('nonce').length >= 43,
  }
  const wrong = Object.entries(checks).find(([, isRight]) => !isRight)
  if (wrong !== undefined) throw new Error(`the request has a wrong ${wrong[0]}`)
  const code = randomUUID()
  const redirectUri = get('redirect_uri')
  const grant = { nonce: get('nonce'), challenge: get('code_challenge'), redirectUri }
  state.grants.set(code, grant)
  const answer = { code, state: get('state'), iss: state.issuer, ...state.behaviour.answer }
  return `${redirectUri}?${new URLSearchParams(present(answer))}`
}

function discovery({ issuer, behaviour }: State): Claims {
  return present({
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
    userinfo_endpoint: `${issuer}/userinfo`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    authorization_response_iss_parameter_supported: true,
    ...behaviour.discovery,
  })
}

function publicKeys({ keys }: State): Claims[] {
  return [...keys].map(([kid, { publicKey }]) => {
    return { ...publicKey.export({ format: 'jwk' }), kid, use: 'sig', alg: 'RS256' }
  })
}

async function issueTokens(state: State, req: IncomingMessage): Promise<Response> {
  const form = new URLSearchParams(await readText(req))
  const code = form.get('code') ?? ''
  const grant = state.grants.get(code)
  state.grants.delete(code)
  if (!isClient(state, req, form)) return { status: 401, body: { error: 'invalid_client' } }
  const verifier = form.get('code_verifier') ?? ''
  const isGranted =
    form.get('grant_type') === 'authorization_code' &&
    form.get('redirect_uri') === grant?.redirectUri &&
    createHash('sha256').update(verifier).digest('base64url') === grant?.challenge
  if (grant === undefined || !isGranted) return { status: 400, body: { error: 'invalid_grant' } }
  const idToken = state.behaviour.omitsIdToken ? undefined : await signIdToken(state, grant)
  const body = { access_token: 'access', token_type: 'Bearer', id_token: idToken }
  return { status: 200, body }
}

function isClient({ client }: State, req: IncomingMessage, form: URLSearchParams): boolean {
  const basic = /^Basic (.+)$/.exec(req.headers.authorization ?? '')?.[1]
  const decode = (text: string) => decodeURIComponent(text.replaceAll('+', ' '))
  const [id, secret] = basic
    ? Buffer.from(basic, 'base64').toString().split(':').map(decode)
    : [form.get('client_id'), form.get('client_secret')]
  return id === client.id && (secret ?? null) === client.secret
}

function signIdToken({ client, issuer, keys, behaviour }: State, grant: Grant): Promise<string> {
  const { claims, header, signWith, now } = behaviour
  const iat = Math.floor(now().getTime() / 1000)
  const [kid, pair] = [...keys].at(-1) ?? []
  const key = signWith ?? pair?.privateKey
  if (key === undefined) throw new Error('the provider has no key')
  const usual = {
    iss: issuer,
    aud: client.id,
    sub: 'ada',
    iat,
    exp: iat + 300,
    nonce: grant.nonce,
    email: 'ada@example.com',
    email_verified: true,
  }
  return new SignJWT(present({ ...usual, ...claims }))
    .setProtectedHeader({ alg: 'RS256', ...(kid === undefined ? {} : { kid }), ...header })
    .sign(key)
}

export type OidcProvider = Awaited<ReturnType<typeof startOidcProvider>>

function present<T>(values: Record<string, T | undefined>): Record<string, T> {
  const entries = Object.entries(values).flatMap(([name, value]): [string, T][] =>
    value === undefined ? [] : [[name, value]],
  )
  return Object.fromEntries(entries)
}

async function readText(req: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of req) text += chunk
  return text
}
