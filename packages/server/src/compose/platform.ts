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
import type { OrgFollower } from '../areas/platform/orgs/ports.ts'
import { createPlanFeature } from '../areas/platform/plans/feature.ts'
import { createSsoFeature } from '../areas/platform/sso/feature.ts'
import { type Egress, EgressError } from '../egress/egress.ts'
import { actorOf } from '../http/access/guard.ts'
import type { GuardedRequest } from '../http/access/guarded.ts'
import { Problem } from '../kernel/problem.ts'
import type { Kernel } from './kernel.ts'

type People = ReturnType<typeof createIdentityFeature>
type Accounts = ReturnType<typeof createAccountFeature>
type Orgs = ReturnType<typeof createOrgFeature>
type Plans = ReturnType<typeof createPlanFeature>

/** Features that ask each other are tied by closures, which run only once all are there. */
export function createPlatform(kernel: Kernel, others: () => readonly OrgFollower[]) {
  const { config, db, clock, notices, events, jobs, secrets, log, metrics } = kernel
  const { baseUrl, adminEmails } = config
  const onError = (err: unknown) => log.error({ err }, 'a feature could not do its work')
  const audit = createAuditFeature({ db, clock })
  const common = { db, clock, audit: audit.service }
  const mail = createMailFeature({
    jobs,
    secrets,
    clock,
    settings: { ...config.mail, outboxDir: join(config.dataDir, 'outbox') },
    onOutcome: (kind, outcome) => metrics.mail.inc({ kind, outcome }),
  })
  const mailer = mail.service
  const keys = createKeyFeature({
    ...common,
    notices,
    orgs: { roleIn: (tx, orgId, userId) => orgs.service.roleIn(tx, orgId, userId) },
    onError,
  })
  const plans: Plans = createPlanFeature({
    ...common,
    events,
    notices,
    defaultPlan: config.defaultPlan,
    orgs: { find: (tx, orgId) => orgs.service.find(tx, orgId) },
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
      ...others(),
      { erase: audit.service.eraseOrg },
      { erase: (tx, orgId) => people.eraseIssuer(tx, `saml:${orgId}`) },
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
  const accounts: Accounts = createAccountFeature({
    ...common,
    jobs,
    secrets,
    people,
    memberships,
    mailer,
    baseUrl,
    localIdp: config.localIdp,
    signupMode: config.signupMode,
    invitations: invitations.service,
  })
  const sso = createSsoFeature({
    ...common,
    notices,
    baseUrl,
    people,
    memberships,
    outbound: outboundOf(kernel.egress),
    tokens: {
      tokensFor: accounts.service.tokensFor,
      async revokeIssuer(tx, issuer) {
        for (const userId of await people.idsOf(tx, issuer)) {
          await accounts.service.revokeAll(tx, userId)
        }
      },
    },
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
  return { ...features, mail, bootstrap }
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
      ? new Problem('url_not_allowed', `metadata_url: ${err.message}`, { cause: err })
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

export async function recordImpersonated(
  req: GuardedRequest,
  service: Impersonations,
): Promise<void> {
  if (req.caller.kind !== 'user' || req.caller.impersonator === undefined) return
  const { sessionId } = req.caller.impersonator
  const { method, url: path } = req
  await service.recordRequest({ sessionId, actor: actorOf(req), method, path })
}
