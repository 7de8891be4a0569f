import { AsyncLocalStorage } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import { type App, type AppOptions, createApp } from '../app.ts'
import { type Clock, DAY_MS, later } from '../kernel/clock.ts'
import type { Client } from './client.ts'
import { createModelAsker, type ModelAsker } from './model-asker.ts'
import { createReceiver, type Receiver } from './receiver.ts'
import { seed } from './seed.ts'
import { firstWeek } from './sessions.ts'
import { storyUntil } from './story.ts'

/** The credentials file for visitors of the demo organisation. */
type Kept = {
  base_url: string
  org_id: string | null
  email: string
  password: string
  api_key: string | null
  state: 'seeding' | 'complete'
  /** The number of attempts so far. */
  attempt: number
}

const FILE = 'demo-credentials.json'
const EMAIL = 'demo@localhost'

/** A deletion date so old that leftovers of an interrupted attempt are erased immediately. */
const LONG_AGO_DAYS = 40

/** On a busy machine, many calls at once must not count as evaluations that failed. */
const EVALUATION_MS_MAX = 30_000

export type DemoOptions = Omit<AppOptions, 'role' | 'jobPrefix'> & {
  /** True if the data folder was just created. */
  isFirstStart: boolean
  /** Keeps the service from sending webhooks until the returned function is called. */
  pauseSending(): Promise<() => void>
  print(line: string): void
}

export type Demo = { stop(): Promise<void> }

/**
 * Fills a separate organisation with made-up agents, in the background. It runs a second
 * instance of the service without a listener, whose clock steps through twelve weeks, and uses
 * only the public API, so the data is like that of a real organisation.
 */
export function startDemo(options: DemoOptions): Demo {
  const stopping = new AbortController()
  const running = run(options, stopping.signal).catch((err: unknown) => {
    options.log.error({ err }, 'creating the demo data failed; the next start tries again')
  })
  return {
    async stop() {
      stopping.abort()
      await running
    },
  }
}

async function run(options: DemoOptions, signal: AbortSignal): Promise<void> {
  const file = join(options.config.dataDir, FILE)
  const kept = await readKept(file)
  const wanted = options.isFirstStart ? kept?.state !== 'complete' : kept?.state === 'seeding'
  if (!wanted) return
  const before = kept ?? newKept(options.config.baseUrl)
  const fresh = { ...before, attempt: before.attempt + 1 }
  // Stored before the account exists, so that no account has a lost password.
  await keep(file, fresh)
  const walk = createWalk(options)
  const models = await createModelAsker()
  const receiver = createReceiver(options.pauseSending)
  const app = await createApp({ ...quietly(options, models.url), clock: walk.clock })
  try {
    await app.start()
    app.markStarted()
    const made = await begin({ app, walk, models, receiver }, fresh)
    await keep(file, made.kept)
    printCredentials(options, made.kept, file)
    await app.prepareDecisionsSince(firstWeek(walk.today))
    const { attempt } = made.kept
    if (await fill(options, { app, walk, client: made.client, signal, attempt })) {
      await publish(app, walk, options.clock.now())
      await waitForDisk(app)
      await keep(file, { ...made.kept, state: 'complete' })
      options.print('Demo data is complete.')
    }
  } finally {
    await receiver.close()
    await app.stop()
    await models.close()
  }
}

type Walk = {
  clock: Clock
  setTime(at: Date): void
  /** Runs something at a time of its own, while other things run at theirs. */
  runAt<T>(at: Date, run: () => Promise<T>): Promise<T>
  today: Date
}

/** A clock that stays where it was set. */
function createWalk({ clock }: DemoOptions): Walk {
  let time = clock.now()
  const ownTime = new AsyncLocalStorage<Date>()
  return {
    today: time,
    // Caches expire by nowMs, so that they stay warm for things that run at times of their own.
    clock: { now: () => ownTime.getStore() ?? time, nowMs: () => time.getTime() },
    runAt: (at, run) => ownTime.run(at, run),
    setTime(at) {
      time = at
    },
  }
}

/**
 * The same service without rate limits, and with external effects on this machine only: its model provider and its
 * receiver of webhooks are made up.
 */
function quietly(options: DemoOptions, anthropic: string): AppOptions {
  const { config, log } = options
  const { upstreams } = config.modelGateway
  return {
    config: {
      ...config,
      rateLimits: false,
      allowLoopbackEgress: true,
      signupMode: 'open',
      analyzer: 'rules',
      model: undefined,
      modelGateway: { ...config.modelGateway, upstreams: { ...upstreams, anthropic } },
      otlpEndpoint: undefined,
      metricsAddr: undefined,
      databaseConnectionsMax: 3,
      mail: { ...config.mail, transport: 'file' },
    },
    connectionString: unhurried(options.connectionString),
    secretKey: options.secretKey,
    clock: options.clock,
    log: log.child({}, { level: 'warn' }),
    role: 'api',
    version: options.version,
    jobPrefix: 'demo/',
    evaluationMsMax: EVALUATION_MS_MAX,
  }
}

/** Commits asynchronously: after a crash the demo is created again. */
function unhurried(connectionString: string): string {
  const url = new URL(connectionString)
  url.searchParams.set('options', '-c synchronous_commit=off')
  return url.href
}

/** The first synchronous commit flushes all earlier ones to disk. */
async function waitForDisk({ kernel }: App): Promise<void> {
  await kernel.db.transaction().execute(async (tx) => {
    await sql`set local synchronous_commit = on`.execute(tx)
    await sql`select txid_current()`.execute(tx)
  })
}

type Stage = { app: App; walk: Walk; models: ModelAsker; receiver: Receiver }

type Begun = { client: Client; kept: Kept }

/**
 * Creates the account, its organisation and key, after erasing leftovers of an interrupted
 * attempt.
 */
async function begin({ app, walk, models, receiver }: Stage, kept: Kept): Promise<Begun> {
  const { email, password } = kept
  walk.setTime(later(walk.today, -LONG_AGO_DAYS * DAY_MS))
  const known = await attempt(app, 'POST', '/v1/auth/login', { body: { email, password } })
  if (known.status === 200) await eraseLeftovers(app, walk, known.body.access_token)
  walk.setTime(firstWeek(walk.today))
  const tokens =
    known.status === 200
      ? await call(app, 'POST', '/v1/auth/login', { body: { email, password } })
      : await call(app, 'POST', '/v1/auth/signup', { body: { email, password, name: 'Demo' } })
  const token = tokens.access_token
  const org = await call(app, 'POST', '/v1/orgs', { token, body: { name: 'Demo', slug: 'demo' } })
  const orgId = org.org_id
  const key = await call(app, 'POST', `/v1/orgs/${orgId}/api-keys`, {
    token,
    body: { name: 'Demo key', role: 'admin', scopes: ['read', 'ingest', 'write'] },
  })
  const approver = await call(app, 'POST', `/v1/orgs/${orgId}/api-keys`, {
    token,
    body: { name: 'Approvals', role: 'admin', scopes: ['read', 'approve'] },
  })
  await signOut(app, tokens)
  return {
    client: {
      orgId,
      receiver,
      approverKey: approver.key,
      call: (method, path, body) => call(app, method, path, { token: key.key, body }),
      async callAsOwner(method, path, body) {
        const session = await call(app, 'POST', '/v1/auth/login', { body: { email, password } })
        const answer = await call(app, method, path, { token: session.access_token, body })
        await signOut(app, session)
        return answer
      },
      askModel: (question) => models.ask(app, question, key.key),
      send: ({ at, path, body, key: token, program }) =>
        walk.runAt(at, () => attempt(app, 'POST', path, { token, body, program })),
    },
    kept: { ...kept, org_id: orgId, api_key: key.key },
  }
}

/** The sessions in which the data was made are not listed in the account. */
async function signOut(app: App, { refresh_token }: { refresh_token: string }): Promise<void> {
  await call(app, 'POST', '/v1/auth/logout', { body: { refresh_token } })
}

async function eraseLeftovers(app: App, walk: Walk, token: string): Promise<void> {
  while ((await app.kernel.jobs.runDue()) > 0);
  const { orgs } = await call(app, 'GET', '/v1/orgs', { token })
  for (const { org_id } of orgs) await call(app, 'DELETE', `/v1/orgs/${org_id}`, { token })
  await app.eraseDueOrgs(walk.today)
}

type Filling = {
  app: App
  walk: Walk
  client: Client
  signal: AbortSignal
  attempt: number
}

async function fill(options: DemoOptions, { app, walk, client, signal, attempt }: Filling) {
  let told = 0
  return seed({
    client,
    signal,
    steps: storyUntil(walk.today, attempt),
    setTime: walk.setTime,
    async settle() {
      while ((await app.kernel.jobs.runDue()) > 0);
      if (client.receiver.isOpen()) await app.sendDue()
    },
    onProgress(done, total) {
      const tenth = Math.floor((10 * done) / total)
      if (tenth === told) return
      told = tenth
      options.log.info({ done, total }, 'creating demo data')
    },
  })
}

/** Computes the current scores and the comparison of all agents, like the hourly job. */
async function publish(app: App, walk: Walk, now: Date): Promise<void> {
  walk.setTime(now)
  await app.rateAll()
  while ((await app.kernel.jobs.runDue()) > 0);
}

type Call = { token?: string; body?: unknown; program?: string | undefined }

// biome-ignore lint/suspicious/noExplicitAny: answers are documented by the API, not by types here
type Answer = { status: number; body: any }

async function attempt(app: App, method: string, url: string, given: Call): Promise<Answer> {
  const { token, body, program } = given
  const response = await app.server.inject({
    // inject() lists the standard methods; the demo uses no others.
    method: method as 'GET',
    url,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(program === undefined ? {} : { 'x-touchstone-client': program }),
    },
    ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
  })
  const hasBody = response.payload !== ''
  return { status: response.statusCode, body: hasBody ? response.json() : undefined }
}

async function call(app: App, method: string, url: string, given: Call) {
  const { status, body } = await attempt(app, method, url, given)
  if (status < 400) return body
  throw new Error(`${method} ${url} answered ${status}: ${JSON.stringify(body)}`)
}

function newKept(baseUrl: string): Kept {
  const password = randomBytes(15).toString('base64url')
  const nothing = { org_id: null, api_key: null }
  return { base_url: baseUrl, ...nothing, email: EMAIL, password, state: 'seeding', attempt: 0 }
}

async function readKept(file: string): Promise<Kept | undefined> {
  try {
    // The cast is safe, because only the demo writes this file.
    return JSON.parse(await readFile(file, 'utf8')) as Kept
  } catch {
    return undefined
  }
}

/** Replaces the file atomically. */
async function keep(file: string, kept: Kept): Promise<void> {
  await writeFile(`${file}.new`, `${JSON.stringify(kept, null, 2)}\n`, { mode: 0o600 })
  await rename(`${file}.new`, file)
}

function printCredentials({ print }: DemoOptions, { email, password }: Kept, file: string): void {
  print('Creating demo data in the background, in a separate organisation.')
  print(`  e-mail    ${email}`)
  print(`  password  ${password}`)
  print(`  (stored in ${file}; --empty starts without demo data)`)
}
