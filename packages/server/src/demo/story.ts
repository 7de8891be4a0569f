import { CARE, CAST, cardOf, type Part, PLATFORM } from './cast.ts'
import type { Client, Step } from './client.ts'
import { conductSteps } from './conduct.ts'
import { modelTurnSteps } from './model-turns.ts'
import {
  DEPLOY_POLICY,
  HOUSE_POLICY,
  INVOICE_POLICY,
  REFUND_POLICY,
  REFUND_POLICY_STRICT,
  VALUES,
} from './rules.ts'
import { firstWeek, sessionsOf, WEEKS } from './sessions.ts'
import { teamSteps } from './team-story.ts'
import { createPrograms, toolCallSteps } from './tool-call-steps.ts'
import { type ToolCall, toolCallsOf } from './tool-calls.ts'
import { openSteps } from './waiting-calls.ts'
import { webhookSteps } from './webhook-story.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const WEEK_MS = 7 * DAY_MS

const FALCON = 'demo-trading-falcon'
const PIPER = 'demo-refund-piper'
const HARBOR = 'demo-deploy-harbor'
const WILLOW = 'demo-support-willow'
const CLERK = 'demo-invoice-clerk'
/** Its program records decisions and does not stop calls. */
const TIDE = 'demo-pipeline-tide'

type Named = (id: string) => string

/** An arbitrary seed; another one gives other times of day. */
const SEED = 20_260_301

/** The twelve weeks in order of time, ending now. */
export function storyUntil(now: Date, attempt: number): Step[] {
  // An id is never reused, not even after its erasure.
  const who: Named = (id) => (attempt === 1 ? id : `${id}-${attempt}`)
  const cast = CAST.map((part) => ({ ...part, id: who(part.id) }))
  const first = firstWeek(now)
  const inWeek = (week: number, hours: number) =>
    new Date(Math.min(first.getTime() + week * WEEK_MS + hours * HOUR_MS, now.getTime()))
  const programs = createPrograms()
  const sessions = cast.flatMap((part, place) => sessionsOf(part, now, SEED + place))
  const stricter = inWeek(6, 9)
  const cuts = [stricter, pauseTime(now)]
  const calls = withBypass(sessions.flatMap(toolCallsOf), who(FALCON), pauseTime(now))
  const steps = [
    ...cast.map((part, place) =>
      registration(part, first, (client) =>
        programs.add(client, {
          id: part.id,
          name: part.name,
          place,
          onlyRecords: part.id === who(TIDE),
        }),
      ),
    ),
    ...ruleSteps(inWeek, who),
    ...conductSteps(sessions),
    ...toolCallSteps(calls, programs, { cuts, now }),
    ...teamSteps({ care: CARE.map(who), platform: PLATFORM.map(who), who, inWeek }),
    ...Array.from({ length: WEEKS - 1 }, (_, week) => rating(inWeek(week + 1, -0.5))),
    ...turns(now, who),
    ...driftReviews(now),
    ...modelTurnSteps(now, who),
    rating(now),
    ...openSteps(now, programs, { piper: who(PIPER), clerk: who(CLERK), harbor: who(HARBOR) }),
    assessments(now, who),
    ...webhookSteps(now),
  ]
  // Equal times keep the order above.
  return steps.sort((one, other) => one.at.getTime() - other.at.getTime())
}

/** A new agent is registered in its first week of work. */
function registration(part: Part, first: Date, onRegistered: Step['run']): Step {
  const week = part.phases[0]?.week ?? 0
  return {
    at: new Date(first.getTime() + week * WEEK_MS + 10 * MINUTE_MS),
    async run(client) {
      const { id: agent_id, name, does, visibility, provider, model } = part
      const description = `Demo data. ${does}`
      const about = { agent_id, name, description, visibility, provider, model }
      const metadata = { demo: true }
      await client.call('POST', '/v1/agents', { ...about, metadata, card: cardOf(part) })
      await onRegistered(client)
    },
  }
}

function ruleSteps(inWeek: (week: number, hours: number) => Date, who: Named): Step[] {
  const policy = (agentId: string, document: object) => (client: Client) =>
    client.call('PUT', `/v1/agents/${agentId}/policy`, document)
  return [
    {
      at: inWeek(0, 1),
      async run({ call, orgId }) {
        for (const value of VALUES) await call('POST', `/v1/orgs/${orgId}/conscience-values`, value)
        await call('PUT', `/v1/orgs/${orgId}/policy`, HOUSE_POLICY)
      },
    },
    { at: inWeek(0, 1), run: policy(who(PIPER), REFUND_POLICY) },
    { at: inWeek(0, 1), run: policy(who(HARBOR), DEPLOY_POLICY) },
    { at: inWeek(0, 1), run: policy(who(CLERK), INVOICE_POLICY) },
    { at: inWeek(6, 9), run: policy(who(PIPER), REFUND_POLICY_STRICT) },
    {
      at: inWeek(2, 10),
      async run({ call }) {
        const trust = (from: string, target_agent_id: string, trust_level: string) =>
          call('POST', `/v1/agents/${from}/trust-edges`, {
            target_agent_id,
            trust_level,
            reason: 'They hand work to each other.',
          })
        await trust(who(WILLOW), who(PIPER), 'high')
        await trust(who('demo-schedule-minute'), who(WILLOW), 'medium')
        await trust(who(HARBOR), who('demo-research-alma'), 'low')
        await trust(who('demo-outreach-finch'), who(WILLOW), 'medium')
      },
    },
  ]
}

/** The time at which Falcon is paused. */
function pauseTime(now: Date): Date {
  return new Date(now.getTime() - 3 * DAY_MS)
}

/** Falcon's last violation before it was paused was a call that had been refused. */
function withBypass(calls: readonly ToolCall[], falcon: string, pausedAt: Date): ToolCall[] {
  const last = calls.findLast(
    ({ agentId, at, args }) => agentId === falcon && at < pausedAt && args['amount'] === 4800,
  )
  const result = { status: 'executed', duration_ms: 412 } as const
  return calls.map((call) => (call === last ? { ...call, result, bypasses: true } : call))
}

/** Computes scores at the end of a week, and now. */
function rating(at: Date): Step {
  return {
    at,
    async run({ call }) {
      const { agents } = await call('GET', '/v1/agents?per_page=100')
      for (const { agent_id } of agents) await call('POST', `/v1/reputation/${agent_id}/recompute`)
    },
  }
}

/** The organisation's reactions to findings. */
function turns(now: Date, who: Named): Step[] {
  const ago = (days: number) => new Date(now.getTime() - days * DAY_MS)
  return [
    { at: ago(20), run: (client) => closeGap(client, who(PIPER)) },
    { at: ago(9), run: (client) => closeGap(client, who('demo-claims-anchor')) },
    { at: ago(6), run: (client) => discuss(client, who('demo-outreach-finch')) },
    {
      at: pauseTime(now),
      async run(client) {
        await discuss(client, who(FALCON))
        await client.call('POST', `/v1/orgs/${client.orgId}/agents/${who(FALCON)}/pause`, {
          reason: 'Position limit exceeded again. Stopped until the model has been reviewed.',
        })
      },
    },
  ]
}

/** The card lacked an action that was right: it is amended, and two violations are reclassified. */
async function closeGap({ call, callAsOwner }: Client, agentId: string): Promise<void> {
  const path = `/v1/agents/${agentId}`
  const { card_json: card } = await call('GET', `${path}/card`)
  const bounded_actions = [...card.autonomy_envelope.bounded_actions, 'issue_store_credit']
  const amended = await call('PATCH', `${path}/card`, {
    card_json: { autonomy_envelope: { bounded_actions } },
  })
  const { violations } = await call('GET', `${path}/violations?per_page=50`)
  const gaps = violations.filter((one: { type: string }) => one.type === 'UNBOUNDED_ACTION')
  for (const { checkpoint_id } of gaps.slice(0, 2)) {
    await call('POST', `${path}/violations/${checkpoint_id}/comments`, {
      text: 'Store credit is what the shop wants here. The card should say so.',
    })
    await callAsOwner('POST', `${path}/reclassify`, {
      checkpoint_id,
      reason: 'The card did not list store credit, which the rules of the shop allow.',
      card_amendment_id: amended.amendment_ids[0],
    })
  }
}

/** Once a week somebody reads the drift alerts; those since the last time, two days ago, are open. */
function driftReviews(now: Date): Step[] {
  const first = firstWeek(now).getTime()
  return Array.from({ length: WEEKS }, (_, week) => now.getTime() - 2 * DAY_MS - week * WEEK_MS)
    .filter((time) => time > first)
    .map((time) => ({ at: new Date(time), run: acknowledgeDrift }))
}

async function acknowledgeDrift({ call }: Client): Promise<void> {
  const { agents } = await call('GET', '/v1/agents?per_page=100')
  for (const { agent_id } of agents) {
    const { alerts } = await call('GET', `/v1/agents/${agent_id}/drift?status=open&per_page=100`)
    for (const { alert_id } of alerts) await call('POST', `/v1/drift/${alert_id}/acknowledge`)
  }
}

async function discuss({ call }: Client, agentId: string): Promise<void> {
  const { violations } = await call('GET', `/v1/agents/${agentId}/violations?per_page=5`)
  const [newest] = violations
  if (newest === undefined) return
  const path = `/v1/agents/${agentId}/violations/${newest.checkpoint_id}/comments`
  await call('POST', path, { text: 'Came up in the morning review. This is outside its remit.' })
  await call('POST', path, { text: 'Agreed. We are taking it up with the vendor this week.' })
}

/** Risk assessments of agents for the first visit. */
function assessments(now: Date, who: Named): Step {
  return {
    at: now,
    async run({ call }) {
      const assess = (agent_id: string, amount: number, use_case: string, prove: boolean) =>
        call('POST', '/v1/risk/assess', {
          agent_id,
          context: { action_type: 'financial_transaction', amount, use_case },
          prove,
        })
      await assess(who(FALCON), 5000, 'Trade above the position limit', false)
      await assess(who(CLERK), 900, 'Payment to a paper supplier', false)
      await assess(who(PIPER), 420, 'Refund for a broken pane', true)
    },
  }
}
