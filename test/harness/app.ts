import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LightMyRequestResponse } from 'fastify'
import { sql } from 'kysely'
import { pino } from 'pino'
import { type App, createApp, type ProcessRole } from '../../packages/server/src/app.ts'
import type { Credentials } from '../../packages/server/src/areas/platform/bootstrap/service.ts'
import type { StreamWaits } from '../../packages/server/src/areas/platform/stream/waits.ts'
import { type Config, readConfig } from '../../packages/server/src/config.ts'
import type { DatabaseClock } from '../../packages/server/src/database/clock.ts'
import type { SessionLimits } from '../../packages/server/src/database/session.ts'
import type { ModelGatewayWaits } from '../../packages/server/src/model-gateway-config.ts'
import { type TestClock, testClock } from './clock.ts'
import { type Conformity, createConformity } from './conformity.ts'
import { freshDatabaseUrl, STALL_MS_MAX, STALLED_LIMITS } from './database.ts'
import { endChain } from './end-chain.ts'
import { onFileFinished } from './on-file-finished.ts'

export type Call = {
  token?: string | undefined
  body?: unknown
  headers?: Record<string, string>
}

export type Answer = {
  status: number
  // Tests read bodies freely; conformity.ts checks their shape on every call.
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
  /** The credentials that the first start printed. */
  first: Credentials
  /** Sends a request and checks its response against the OpenAPI document. */
  call(method: string, url: string, call?: Call): Promise<Answer>
  /** Signs in the first account and returns its session token. */
  ownerToken(): Promise<string>
  /** Creates a person with an account, who is in no organisation unless invited to one. */
  newUser(email: string, invite?: { orgId: string; role: string }): Promise<TestUser>
  /**
   * The token in the last mail to this address, read from the queue: sending it would run every
   * other job that is due, too.
   */
  mailedToken(email: string): Promise<string>
  /** Runs jobs and sends webhooks until nothing is due. */
  settle(): Promise<void>
  /** The folder that DATA_DIR names. */
  dataDir: string
}

export type TestUser = { userId: string; email: string; token: string; refreshToken: string }

export const TEST_PASSWORD = 'correct horse battery'

export type TestAppOptions = {
  env?: Record<string, string>
  clock?: TestClock
  databaseUrl?: string
  /** False leaves the service as it is between listening and the end of the migrations. */
  start?: boolean
  /** Applies the evaluation time limit of production, which a stalled machine may exceed. */
  hasTimeLimit?: boolean
  /** How long a caller waits for the chain; a minute by default. */
  chainWaitMsMax?: number
  /** Default api. */
  role?: ProcessRole
  /** Shortens the waits of event streams. */
  streamWaits?: StreamWaits
  /** Shortens the waits of the model gateway. */
  modelWaits?: Partial<ModelGatewayWaits>
  /** Called with each line of the log, which is not written otherwise. */
  onLogLine?: (line: string) => void
  /** Follows the time of the database. */
  databaseClock?: DatabaseClock
  /** Shorter or longer limits that the database enforces. */
  sessionLimits?: Partial<SessionLimits>
  /** Less memory for threads that verify documents of strangers. */
  verifierMemoryMbMax?: number
}

const SECRET_KEY = Buffer.alloc(32, 7)

/** Starts the whole service on a fresh database, called without a socket, with a fixed clock. */
export async function testApp(options: TestAppOptions = {}): Promise<TestApp> {
  const dataDir = await mkdtemp(join(tmpdir(), 'touchstone-app-'))
  const clock = options.clock ?? testClock()
  const databaseUrl = options.databaseUrl ?? (await freshDatabaseUrl())
  const env = {
    RATE_LIMITS: 'off',
    SIGNUP_MODE: 'open',
    DATA_DIR: dataDir,
    // TEST_POOL_MAX=1 shows whether anything requests a second connection while it holds one.
    DATABASE_POOL_MAX: process.env['TEST_POOL_MAX'] ?? '10',
    ...options.env,
  }
  const read = readConfig(env, dataDir)
  const { chainWaitMsMax: waitMsMax = read.chain.waitMsMax, streamWaits = read.stream } = options
  const modelGateway = {
    ...read.modelGateway,
    waits: { ...read.modelGateway.waits, ...options.modelWaits },
  }
  const config = { ...read, chain: { ...read.chain, waitMsMax }, stream: streamWaits, modelGateway }
  const app = await createApp({
    config,
    clock,
    connectionString: databaseUrl,
    secretKey: SECRET_KEY,
    log:
      options.onLogLine === undefined
        ? pino({ level: 'silent' })
        : pino({}, { write: options.onLogLine }),
    role: options.role ?? 'api',
    version: '0.0.0-test',
    ...(options.hasTimeLimit === true ? {} : { evaluationMsMax: STALL_MS_MAX }),
    connectMsMax: STALL_MS_MAX,
    ...(options.databaseClock !== undefined && { databaseClock: options.databaseClock }),
    sessionLimits: { ...STALLED_LIMITS, ...options.sessionLimits },
    ...(options.verifierMemoryMbMax !== undefined && {
      verifierMemoryMbMax: options.verifierMemoryMbMax,
    }),
  })
  await app.start()
  // Registers the schedules as a starting worker does; tests fire them by moving the clock.
  await app.kernel.schedules.fireDue()
  const created: Credentials[] = []
  await app.firstStart(async (credentials) => void created.push(credentials))
  if (options.start !== false) app.markStarted()
  onFileFinished(() => endChain(dataDir))
  onFileFinished(async () => {
    await app.stop()
    await rm(dataDir, { recursive: true, force: true })
  })
  const first = created[0] ?? { base_url: '', org_id: '', email: '', password: '', api_key: '' }
  const call = createCall(app, conformityOf(app))
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
    mailedToken: (email) => mailedToken(app, email),
    newUser: createNewUser({
      call,
      mailedToken: (email) => mailedToken(app, email),
      ownerToken: async () => (await login(first.email, first.password)).access_token,
    }),
    async settle() {
      while ((await app.kernel.jobs.runDue()) + (await app.sendDue()) > 0);
    },
  }
}

const conformities = new Map<string, Conformity>()

/**
 * Cached per process and set of routes, because the document is large. Settings decide which routes there
 * are, and nothing else in the document that a response is compared with.
 */
function conformityOf(app: App): Conformity {
  const key = app.server.printRoutes({ commonPrefix: false })
  const known = conformities.get(key) ?? createConformity(app.openapi())
  conformities.set(key, known)
  return known
}

function createCall(app: App, conformity: Conformity): TestApp['call'] {
  return async (method, url, call = {}) => {
    const response = await app.server.inject({ method: method as 'GET', url, ...requestOf(call) })
    // Excludes application/x-ndjson, which is many documents.
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

/** Sends text and bytes as they are, and anything else as JSON. */
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

const MAIL_JOB = 'mail.send'

async function mailedToken(app: App, email: string): Promise<string> {
  const { db, secrets } = app.kernel
  const queued = await sql<{ payload: string }>`
    select payload from job where kind = ${MAIL_JOB} order by id desc`.execute(db)
  const texts = queued.rows
    .map(({ payload }) => JSON.parse(secrets.open(payload, MAIL_JOB)))
    .filter((mail) => mail.to === email.toLowerCase())
    .map((mail) => String(mail.text))
  const token = /\bts[ip]_[\w-]{43}/.exec(texts[0] ?? '')?.[0]
  if (token === undefined) throw new Error(`no mail with a token to ${email} is queued`)
  return token
}

function createNewUser(deps: {
  call: TestApp['call']
  mailedToken(email: string): Promise<string>
  ownerToken(): Promise<string>
}): TestApp['newUser'] {
  return async (email, invite) => {
    let invitationToken: string | undefined
    if (invite !== undefined) {
      await deps.call('POST', `/v1/orgs/${invite.orgId}/invitations`, {
        token: await deps.ownerToken(),
        body: { email, role: invite.role },
      })
      invitationToken = await deps.mailedToken(email)
    }
    const signup = await deps.call('POST', '/v1/auth/signup', {
      body: { email, password: TEST_PASSWORD, name: email, invitation_token: invitationToken },
    })
    if (signup.status !== 201) throw new Error(`no account for ${email}: ${signup.text}`)
    return {
      userId: signup.body.user.user_id,
      email,
      token: signup.body.access_token,
      refreshToken: signup.body.refresh_token,
    }
  }
}
