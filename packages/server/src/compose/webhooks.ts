import { createWebhookFeature } from '../areas/platform/webhooks/feature.ts'
import { type Egress, EgressError } from '../egress/egress.ts'
import { Problem } from '../kernel/problem.ts'
import type { createEvidence } from './evidence.ts'
import type { Kernel } from './kernel.ts'
import type { createPlatform } from './platform.ts'

type Evidence = ReturnType<typeof createEvidence>
type Platform = ReturnType<typeof createPlatform>

/** Telling others what happened. */
export function createWebhooks(kernel: Kernel, platform: Platform, evidence: Evidence) {
  const { db, clock, events, jobs, log, metrics, notices, secrets } = kernel
  const { orgs, plans } = platform
  const webhooks = createWebhookFeature({
    db,
    clock,
    events,
    jobs,
    notices,
    secrets,
    audit: platform.audit.service,
    mailer: platform.mail.service,
    outbound: outboundOf(kernel.egress),
    signer: evidence.attestation.service.signer,
    plans: {
      includesWebhooks: (planId) =>
        plans.service.list().some((plan) => plan.planId === planId && hears(plan)),
    },
    orgs: {
      async contacts(orgId) {
        const org = await orgs.service.find(db, orgId)
        if (org === undefined) return undefined
        const owners = (await orgs.service.listMembers(orgId)).filter((m) => m.role === 'owner')
        const emails = new Set([...owners.map((owner) => owner.email), org.billingEmail])
        return { name: org.name, emails: [...emails].filter((email) => email !== null) }
      },
    },
    random: Math.random,
    elapsedMs: () => performance.now(),
    onAttempt: (durationMs) => metrics.webhookAttempts.observe(durationMs / 1000),
    onOutcome: (outcome) => metrics.webhookDeliveries.inc({ outcome }),
    onError: (err) => log.error({ err }, 'webhooks could not be sent'),
  })
  metrics.watchWebhookQueue(webhooks.service.queueDepth)
  return webhooks
}

function hears(plan: { features: readonly string[] }): boolean {
  return plan.features.includes('webhooks')
}

type PostCall = { url: string; headers: Record<string, string>; body: string; timeoutMs: number }

/** The egress guard in the words of the webhooks feature. */
function outboundOf(egress: Egress) {
  return {
    async assertAllowed(url: string): Promise<void> {
      await egress.assertAllowed(url).catch((err: unknown) => {
        if (!(err instanceof EgressError)) throw err
        throw new Problem('url_not_allowed', `url: ${err.message}`, { cause: err })
      })
    },
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
