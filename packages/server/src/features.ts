import { join } from 'node:path'
import type { FastifyRequest } from 'fastify'
import { createAccountFeature } from './areas/platform/accounts/feature.ts'
import { createKeyFeature } from './areas/platform/api-keys/feature.ts'
import { createAuditFeature } from './areas/platform/audit/feature.ts'
import { createBootstrapFeature } from './areas/platform/bootstrap/feature.ts'
import { createIdentityFeature } from './areas/platform/identity/feature.ts'
import { createImpersonationFeature } from './areas/platform/impersonation/feature.ts'
import { createInvitationFeature } from './areas/platform/invitations/feature.ts'
import { createMailFeature } from './areas/platform/mail/feature.ts'
import { createOrgFeature } from './areas/platform/orgs/feature.ts'
import { createPlanFeature } from './areas/platform/plans/feature.ts'
import { createRetentionFeature } from './areas/platform/retention/feature.ts'
import { createSsoFeature } from './areas/platform/sso/feature.ts'
import type { Config } from './config.ts'
import { actorOf } from './http/guard.ts'
import type { Server } from './http/server.ts'
import type { Clock } from './kernel/clock.ts'
import type { Db } from './kernel/db.ts'
import { type Egress, EgressError } from './kernel/egress.ts'
import type { Events } from './kernel/events.ts'
import type { Jobs } from './kernel/jobs.ts'
import type { Notices } from './kernel/notices.ts'
import { Problem } from './kernel/problem.ts'
import type { Schedules } from './kernel/schedules.ts'
import type { SecretBox } from './kernel/secrets.ts'
import type { Log } from './telemetry/log.ts'
import type { Metrics } from './telemetry/metrics.ts'

export type Kernel = {
  config: Config
  db: Db
  clock: Clock
  log: Log
  metrics: Metrics
  notices: Notices
  events: Events
  jobs: Jobs
  schedules: Schedules
  secrets: SecretBox
  egress: Egress
}

export type Features = ReturnType<typeof createFeatures>

type PurgeTask = { name: string; run(now: Date): Promise<number> }

/** Builds every feature and plugs one's question into another's service. No logic lives here. */
export function createFeatures(kernel: Kernel, ownPurges: readonly PurgeTask[]) {
  const platform = createPlatform(kernel)
  const { schedules, log } = kernel
  const { audit, accounts, identity, impersonation, invitations, keys, orgs, plans, sso } = platform
  createRetentionFeature({
    schedules,
    tasks: [
      ...ownPurges,
      { name: 'organisations', run: orgs.service.purge },
      { name: 'audit log', run: audit.service.purge },
      { name: 'invitations', run: invitations.service.purge },
      { name: 'sessions', run: accounts.service.purge },
      { name: 'people', run: identity.service.purge },
      { name: 'single sign-on', run: sso.service.purge },
      { name: 'impersonation', run: impersonation.service.purge },
      { name: 'usage', run: plans.service.purge },
    ],
    onPurged: (name, rows) => rows > 0 && log.info({ name, rows }, 'purged'),
  })
  schedules.add('usage', EVERY_MINUTE, async (firedAt) => void (await plans.service.sum(firedAt)))
  const mounted = [audit, accounts, identity, impersonation, invitations, keys, orgs, plans, sso]
  return {
    mount: (app: Server) => {
      for (const feature of mounted) feature.mount(app)
    },
    bootstrap: platform.bootstrap,
    recordImpersonated: (req: FastifyRequest) => recordImpersonated(req, impersonation.service),
    services: {
      keys: keys.service,
      identity: identity.service,
      orgs: orgs.service,
      plans: plans.service,
      sso: sso.service,
      impersonation: impersonation.service,
    },
  }
}

const EVERY_MINUTE = '* * * * *'

type People = ReturnType<typeof createIdentityFeature>
type Accounts = ReturnType<typeof createAccountFeature>
type Orgs = ReturnType<typeof createOrgFeature>
type Plans = ReturnType<typeof createPlanFeature>

/** Features that ask each other are tied by closures, which run only once all are there. */
function createPlatform(kernel: Kernel) {
  const { config, db, clock, notices, events, jobs, secrets, log, metrics } = kernel
  const { baseUrl, adminEmails } = config
  const onError = (err: unknown) => log.error({ err }, 'a feature could not do its work')
  const audit = createAuditFeature({ db, clock })
  const common = { db, clock, audit: audit.service }
  const mail = createMailFeature({
    jobs,
    clock,
    settings: { ...config.mail, outboxDir: join(config.dataDir, 'outbox') },
    onOutcome: (kind, outcome) => metrics.mail.inc({ kind, outcome }),
  })
  const mailer = mail.service
  const keys = createKeyFeature({ ...common, notices, onError })
  const plans: Plans = createPlanFeature({
    ...common,
    events,
    notices,
    defaultPlan: config.defaultPlan,
    orgs: { find: (orgId) => orgs.service.find(orgId) },
  })
  const identity: People = createIdentityFeature({
    ...common,
    baseUrl,
    adminEmails,
    oidcIssuers: config.oidcIssuers,
    ownKeys: { find: (kid) => accounts.service.findPublicKey(kid) },
    onError,
  })
  const people = identity.service
  const orgs: Orgs = createOrgFeature({
    ...common,
    people,
    subscriptions: plans.service,
    mailer,
    keys: keys.service,
    followers: () => [
      keys.service,
      invitations.service,
      sso.service,
      plans.service,
      { erase: audit.service.eraseOrg },
    ],
  })
  const memberships = orgs.service
  const planFacts = planFactsOf(plans)
  const invitations = createInvitationFeature({
    ...common,
    baseUrl,
    orgs: orgs.service,
    plans: planFacts,
    mailer,
  })
  const { localIdp, signupMode } = config
  const accounts: Accounts = createAccountFeature({
    ...common,
    ...{ jobs, secrets, people, memberships, mailer, baseUrl, localIdp, signupMode, adminEmails },
    invitations: invitations.service,
  })
  const sso = createSsoFeature({
    ...common,
    ...{ notices, baseUrl, people, memberships },
    outbound: outboundOf(kernel.egress),
    tokens: accounts.service,
    plans: planFacts,
  })
  const impersonation = createImpersonationFeature({ ...common, people, memberships })
  const bootstrap = createBootstrapFeature({
    db,
    baseUrl,
    email: config.bootstrapEmail,
    password: config.bootstrapPassword,
    accounts: accounts.service,
    orgs: orgs.service,
    keys: keys.service,
  })
  const features = { audit, keys, plans, identity, orgs, invitations, accounts, sso, impersonation }
  return { ...features, bootstrap }
}

/** What others want to know of a plan. */
function planFactsOf(plans: Plans) {
  const { entitlements } = plans.service
  return {
    isPaid: async (orgId: string) => (await entitlements(orgId)).planId !== 'plan-free',
    includesSso: async (orgId: string) => (await entitlements(orgId)).features.has('sso'),
  }
}

/** The egress guard in the words of the single sign-on feature. */
function outboundOf(egress: Egress) {
  const refusedAs = (err: unknown): unknown =>
    err instanceof EgressError && err.kind === 'refused'
      ? new Problem('url_not_allowed', err.message, { cause: err })
      : err
  return {
    async assertAllowed(url: string): Promise<void> {
      await egress.assertAllowed(url).catch((err: unknown) => Promise.reject(refusedAs(err)))
    },
    async get(url: string, limits: { timeoutMs: number; maxBytes: number }): Promise<Uint8Array> {
      const answer = await egress
        .request({ url, method: 'GET', overflow: 'fail', ...limits })
        .catch((err: unknown) => Promise.reject(refusedAs(err)))
      if (answer.status === 200) return answer.body
      throw new EgressError('connection', `The server answered ${answer.status}.`)
    },
  }
}

type Impersonations = ReturnType<typeof createImpersonationFeature>['service']

async function recordImpersonated(req: FastifyRequest, service: Impersonations): Promise<void> {
  if (req.caller.kind !== 'user' || req.caller.impersonator === undefined) return
  const { sessionId } = req.caller.impersonator
  const { method, url: path } = req
  await service.recordRequest({ sessionId, actor: actorOf(req), method, path })
}
