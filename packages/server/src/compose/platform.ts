import { join } from 'node:path'
import { createAccountFeature } from '../areas/platform/accounts/feature.ts'
import { createKeyFeature } from '../areas/platform/api-keys/feature.ts'
import { createAuditFeature } from '../areas/platform/audit/feature.ts'
import { createBootstrapFeature } from '../areas/platform/bootstrap/feature.ts'
import { createIdentityFeature } from '../areas/platform/identity/feature.ts'
import { createImpersonationFeature } from '../areas/platform/impersonation/feature.ts'
import { createInvitationFeature } from '../areas/platform/invitations/feature.ts'
import { createMailFeature } from '../areas/platform/mail/feature.ts'
import { createOrgFeature } from '../areas/platform/orgs/feature.ts'
import { createPlanFeature } from '../areas/platform/plans/feature.ts'
import { createRetentionFeature } from '../areas/platform/retention/feature.ts'
import { createSsoFeature } from '../areas/platform/sso/feature.ts'
import { createStreamFeature } from '../areas/platform/stream/feature.ts'
import { createWebhookFeature } from '../areas/platform/webhooks/feature.ts'
import type { Audit } from '../audit.ts'
import { type Egress, EgressError, type EgressRequest } from '../egress/egress.ts'
import { actorOf } from '../http/access/guard.ts'
import type { GuardedRequest } from '../http/access/guarded.ts'
import type { Db } from '../kernel/db.ts'
import { Problem } from '../kernel/problem.ts'
import type { Kernel } from './kernel.ts'

type People = ReturnType<typeof createIdentityFeature>
type Accounts = ReturnType<typeof createAccountFeature>
type Orgs = ReturnType<typeof createOrgFeature>
type Plans = ReturnType<typeof createPlanFeature>

/** Features of other areas, which are built later. */
type Later = {
  signer: WebhookDeps['signer']
  agents: KeyDeps['agents']
  /** Messages about new escalations. */
  approvalMessages: WebhookDeps['messages']
}

type KeyDeps = Parameters<typeof createKeyFeature>[0]
type WebhookDeps = Parameters<typeof createWebhookFeature>[0]

/** Features that depend on each other are connected by closures, which run after all are built. */
export function createPlatform(kernel: Kernel, later: () => Later) {
  const { config, db, clock, notices, events, jobs, secrets, lifecycle, log, metrics } = kernel
  const { baseUrl, adminEmails } = config
  const onError = (err: unknown) => log.error({ err }, 'a background operation failed')
  const audit = createAuditFeature({ db, clock }, lifecycle)
  const common = { db, clock, audit: audit.service }
  const mail = createMailFeature({
    jobs,
    secrets,
    clock,
    settings: { ...config.mail, outboxDir: join(config.dataDir, 'outbox') },
    onOutcome: (kind, outcome) => metrics.mail.inc({ kind, outcome }),
  })
  const mailer = mail.service
  const roleIn: Orgs['service']['roleIn'] = (tx, orgId, userId) =>
    orgs.service.roleIn(tx, orgId, userId)
  const agents: KeyDeps['agents'] = { keepOpen: (tx, agent) => later().agents.keepOpen(tx, agent) }
  const keys = createKeyFeature(
    { ...common, notices, orgs: { roleIn }, agents, onError },
    lifecycle,
  )
  const findOrg: Orgs['service']['find'] = (tx, orgId) => orgs.service.find(tx, orgId)
  const plans: Plans = createPlanFeature(
    { ...common, events, notices, defaultPlan: config.defaultPlan, orgs: { find: findOrg } },
    lifecycle,
  )
  const ownKeys = { find: (kid: string) => accounts.service.findPublicKey(kid) }
  const ownSessions = {
    isLive: (sessionId: string, userId: string) => accounts.service.isLive(sessionId, userId),
  }
  const { oidcIssuers } = config
  const identity: People = createIdentityFeature(
    { ...common, baseUrl, adminEmails, oidcIssuers, ownKeys, ownSessions, onError },
    lifecycle,
  )
  const people = identity.service
  const orgs: Orgs = createOrgFeature(
    {
      ...common,
      people,
      subscriptions: plans.service,
      mailer,
      keys: keys.service,
      secondFactors: { has: (userId) => hasOwnSecondFactor(people, accounts, userId) },
      orgsPerAccountMax: config.orgsPerAccountMax,
    },
    lifecycle,
  )
  const memberships = orgs.service
  const planFacts = planFactsOf(plans)
  const invitations = createInvitationFeature(
    { ...common, baseUrl, orgs: orgs.service, plans: planFacts, mailer },
    lifecycle,
  )
  const { localIdp, signupMode } = config
  const accounts: Accounts = createAccountFeature(
    {
      ...common,
      jobs,
      notices,
      secrets,
      people,
      memberships,
      mailer,
      baseUrl,
      localIdp,
      signupMode,
      invitations: invitations.service,
    },
    lifecycle,
  )
  const outbound = outboundOf(kernel.egress)
  const tokens = tokensOf(people, accounts)
  const sso = createSsoFeature(
    {
      ...common,
      notices,
      secrets,
      baseUrl,
      people,
      memberships,
      outbound,
      tokens,
      plans: planFacts,
    },
    lifecycle,
  )
  const impersonation = createImpersonationFeature({ ...common, people, memberships }, lifecycle)
  const bootstrap = createBootstrapFeature({
    db,
    baseUrl,
    email: config.bootstrapEmail,
    password: config.bootstrapPassword,
    accounts: accounts.service,
    orgs: orgs.service,
    keys: keys.service,
  })
  const stream = createStreamFeature(
    {
      ...kernel,
      waits: config.stream,
      elapsedMs: () => performance.now(),
      onError: (err) => log.error({ err }, 'serving a stream failed'),
    },
    lifecycle,
  )
  const webhooks = createWebhooks(kernel, { audit, mail, orgs, plans }, later)
  createRetentionFeature(
    { clock, onPurged: (name, rows) => rows > 0 && log.info({ name, rows }, 'purged') },
    lifecycle,
  )
  return {
    audit,
    keys,
    plans,
    identity,
    orgs,
    invitations,
    accounts,
    sso,
    impersonation,
    mail,
    bootstrap,
    stream,
    webhooks,
  }
}

/** Other identity providers ask for their own second factor. */
async function hasOwnSecondFactor(
  people: People['service'],
  accounts: Accounts,
  userId: string,
): Promise<boolean> {
  const person = await people.find(userId)
  return person?.issuer !== 'local' || accounts.service.hasSecondFactor(userId)
}

/** Lets single sign-on issue and revoke tokens of local accounts. */
function tokensOf(people: People['service'], accounts: Accounts) {
  return {
    tokensFor: accounts.service.tokensFor,
    async revokeIssuer(tx: Db, issuer: string): Promise<void> {
      for (const userId of await people.idsOf(tx, issuer)) {
        await accounts.service.revokeAll(tx, userId)
      }
    },
  }
}

type WebhookParts = {
  audit: { service: Audit }
  mail: ReturnType<typeof createMailFeature>
  orgs: Orgs
  plans: Plans
}

function createWebhooks(kernel: Kernel, parts: WebhookParts, later: () => Later) {
  const { db, clock, events, jobs, lifecycle, log, metrics, notices, secrets } = kernel
  const orgs = parts.orgs.service
  const deps: WebhookDeps = {
    db,
    clock,
    events,
    jobs,
    notices,
    secrets,
    audit: parts.audit.service,
    mailer: parts.mail.service,
    outbound: postOutboundOf(kernel.egress),
    signer: () => later().signer(),
    messages: {
      render: (channel, reference) => later().approvalMessages.render(channel, reference),
    },
    plans: {
      includesWebhooks: (planId) =>
        parts.plans.service
          .list()
          .some((plan) => plan.planId === planId && plan.features.includes('webhooks')),
    },
    orgs: {
      async contacts(orgId) {
        const org = await orgs.find(db, orgId)
        if (org === undefined) return undefined
        const owners = (await orgs.listMembers(orgId)).filter((m) => m.role === 'owner')
        const emails = new Set([...owners.map((owner) => owner.email), org.billingEmail])
        return { name: org.name, emails: [...emails].filter((email) => email !== null) }
      },
    },
    random: Math.random,
    elapsedMs: () => performance.now(),
    onAttempt: (durationMs) => metrics.webhookAttempts.observe(durationMs / 1000),
    onOutcome: (outcome) => metrics.webhookDeliveries.inc({ outcome }),
    onError: (err) => log.error({ err }, 'sending webhooks failed'),
  }
  return createWebhookFeature(deps, lifecycle)
}

/** Adapts plans to the ports of invitations and single sign-on. */
function planFactsOf(plans: Plans) {
  const { entitlements } = plans.service
  return {
    isPaid: async (orgId: string) => (await entitlements(orgId)).planId !== 'plan-free',
    includesSso: async (orgId: string) => (await entitlements(orgId)).features.has('sso'),
  }
}

/** Adapts the egress guard to the port of the single sign-on feature. */
function outboundOf(egress: Egress) {
  return {
    assertAllowed: (url: string, field: string) => assertAllowed(egress, url, field),
    request: (call: Omit<EgressRequest, 'keepAlive' | 'overflow'>) =>
      egress.request({ ...call, overflow: 'fail' }),
  }
}

async function assertAllowed(egress: Egress, url: string, field: string): Promise<void> {
  await egress.assertAllowed(url).catch((err: unknown) => {
    if (!(err instanceof EgressError)) throw err
    throw new Problem('url_not_allowed', `${field}: ${err.message}`, { cause: err })
  })
}

type PostCall = { url: string; headers: Record<string, string>; body: string; timeoutMs: number }

/** Adapts the egress guard to the port of the webhooks feature. */
function postOutboundOf(egress: Egress) {
  return {
    assertAllowed: (url: string, field = 'url') => assertAllowed(egress, url, field),
    async post({ url, headers, body, timeoutMs }: PostCall) {
      try {
        const call = { url, headers, body, timeoutMs, method: 'POST', keepAlive: true } as const
        const answer = await egress.request(call)
        return { status: answer.status, retryAfter: answer.headers['retry-after']?.toString() }
      } catch (err) {
        if (err instanceof EgressError) return { error: err.message }
        throw err
      }
    },
  }
}

type Impersonations = ReturnType<typeof createImpersonationFeature>['service']

export async function recordImpersonated(
  req: GuardedRequest,
  service: Impersonations,
): Promise<void> {
  if (req.caller.kind !== 'user' || req.caller.impersonator === undefined) return
  const { sessionId } = req.caller.impersonator
  const { method, url: path } = req
  await service.recordRequest({ sessionId, actor: actorOf(req), method, path })
}
