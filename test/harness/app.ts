import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LightMyRequestResponse } from 'fastify'
import { pino } from 'pino'
import { type App, createApp } from '../../packages/server/src/app.ts'
import type { Credentials } from '../../packages/server/src/areas/platform/bootstrap/service.ts'
import { type Config, readConfig } from '../../packages/server/src/config.ts'
import { atEnd } from './at-end.ts'
import { type TestClock, testClock } from './clock.ts'
import { type Conformity, createConformity } from './conformity.ts'
import { freshDatabaseUrl, STILL_MS_MAX } from './database.ts'
import { endChain } from './end-chain.ts'

export type Call = {
  token?: string | undefined
  body?: unknown
  headers?: Record<string, string>
}

export type Answer = {
  status: number
  // Answers are read freely in tests; their shape is checked against the document on every call.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  body: any
  headers: LightMyRequestResponse['headers']
  text: string
}

export type TestApp = {
  app: App
  clock: TestClock
  config: Config
  databaseUrl: string
  /** What the first start printed. */
  first: Credentials
  /** Answers every request against the OpenAPI document, so that the document cannot lie. */
  call(method: string, url: string, call?: Call): Promise<Answer>
  /** Signs in the first account and returns its session token. */
  ownerToken(): Promise<string>
  /** A new person with an account, in no organisation unless invited to one. */
  newUser(email: string, invite?: { orgId: string; role: string }): Promise<TestUser>
  /** Runs queued work, and sends webhooks, until nothing is due. */
  settle(): Promise<void>
  /** Texts of the e-mails queued and sent so far to an address, newest last. */
  dataDir: string
}

export type TestUser = { userId: string; email: string; token: string; refreshToken: string }

export const TEST_PASSWORD = 'correct horse battery'

export type TestAppOptions = {
  env?: Record<string, string>
  clock?: TestClock
  databaseUrl?: string
  /** False leaves it as it is between listening and the end of migrations. */
  start?: boolean
  /** Holds evaluations to the limit they have in service, which a machine standing still may pass. */
  limited?: boolean
  /** How long a caller waits for the chain; a minute unless given. */
  chainWaitMsMax?: number
}

const SECRET_KEY = Buffer.alloc(32, 7)

/** The whole service on a fresh database, called without a socket, with a clock that stands still. */
export async function testApp(options: TestAppOptions = {}): Promise<TestApp> {
  const dataDir = await mkdtemp(join(tmpdir(), 'touchstone-app-'))
  const clock = options.clock ?? testClock()
  const databaseUrl = options.databaseUrl ?? (await freshDatabaseUrl())
  const env = {
    RATE_LIMITS: 'off',
    SIGNUP_MODE: 'open',
    DATA_DIR: dataDir,
    // One connection shows whether anything asks for a second one while it holds the first.
    DATABASE_POOL_MAX: process.env['TEST_POOL_MAX'] ?? '10',
    ...options.env,
  }
  const read = readConfig(env, dataDir)
  const { chainWaitMsMax: waitMsMax = read.chain.waitMsMax } = options
  const config = { ...read, chain: { ...read.chain, waitMsMax } }
  const app = await createApp({
    config,
    clock,
    connectionString: databaseUrl,
    secretKey: SECRET_KEY,
    log: pino({ level: 'silent' }),
    role: 'api',
    version: '0.0.0-test',
    ...(options.limited === true ? {} : { evaluationMsMax: STILL_MS_MAX }),
    connectMsMax: STILL_MS_MAX,
  })
  await app.start()
  // Schedules begin here, as in a worker that has just started; tests fire them by the clock.
  await app.kernel.schedules.fireDue()
  const made: Credentials[] = []
  await app.firstStart(async (credentials) => void made.push(credentials))
  if (options.start !== false) app.markStarted()
  atEnd(() => endChain(dataDir))
  atEnd(async () => {
    await app.stop()
    await rm(dataDir, { recursive: true, force: true })
  })
  const first = made[0] ?? { base_url: '', org_id: '', email: '', password: '', api_key: '' }
  const call = createCall(app, conformityOf(app, options.env))
  const login = async (email: string, password: string) =>
    (await call('POST', '/v1/auth/login', { body: { email, password } })).body
  return {
    app,
    clock,
    config,
    databaseUrl,
    dataDir,
    first,
    call,
    ownerToken: async () => (await login(first.email, first.password)).access_token,
    newUser: createNewUser({
      call,
      ownerToken: async () => (await login(first.email, first.password)).access_token,
    }),
    async settle() {
      while ((await app.kernel.jobs.runDue()) + (await app.sendDue()) > 0);
    },
  }
}

const conformities = new Map<string, Conformity>()

/** Made once per process for the same settings: the document is large, and they decide what is in it. */
function conformityOf(app: App, env: Record<string, string> = {}): Conformity {
  const key = JSON.stringify(env)
  const known = conformities.get(key) ?? createConformity(app.openapi())
  conformities.set(key, known)
  return known
}

function createCall(app: App, conformity: Conformity): TestApp['call'] {
  return async (method, url, call = {}) => {
    const response = await app.server.inject({ method: method as 'GET', url, ...requestOf(call) })
    // Not application/x-ndjson, which is many documents.
    const isJson = /[/+]json\b/.test(String(response.headers['content-type']))
    const body = isJson && response.payload !== '' ? response.json() : response.payload
    conformity(method, url, response.statusCode, isJson ? body : undefined)
    return {
      status: response.statusCode,
      body,
      headers: response.headers,
      text: response.payload,
    }
  }
}

/** Text and bytes go out as they are; anything else as JSON. */
function requestOf(call: Call): { headers: Record<string, string>; payload?: string } {
  const headers: Record<string, string> = { ...call.headers }
  if (call.token !== undefined) headers['authorization'] = `Bearer ${call.token}`
  if (call.body === undefined) return { headers }
  if (typeof call.body === 'string' || Buffer.isBuffer(call.body)) {
    return { headers, payload: call.body as string }
  }
  headers['content-type'] ??= 'application/json'
  return { headers, payload: JSON.stringify(call.body) }
}

function createNewUser(deps: {
  call: TestApp['call']
  ownerToken(): Promise<string>
}): TestApp['newUser'] {
  return async (email, invite) => {
    let invitationToken: string | undefined
    if (invite !== undefined) {
      const invited = await deps.call('POST', `/v1/orgs/${invite.orgId}/invitations`, {
        token: await deps.ownerToken(),
        body: { email, role: invite.role },
      })
      invitationToken = invited.body.token
    }
    const signup = await deps.call('POST', '/v1/auth/signup', {
      body: { email, password: TEST_PASSWORD, name: email, invitation_token: invitationToken },
    })
    return {
      userId: signup.body.user.user_id,
      email,
      token: signup.body.access_token,
      refreshToken: signup.body.refresh_token,
    }
  }
}
