import { randomUUID } from 'node:crypto'
import { createTouchstone, type Touchstone } from '@touchstone/sdk'
import { beforeAll } from 'vitest'
import { type TestApp, testApp } from './app.ts'
import { CARD } from './checkpoints.ts'

/** Shop tools are allowed but for refunds, which people decide; a shell is forbidden. */
export const DESK_POLICY = {
  meta: { schema_version: '1.0', name: 'Desk', scope: 'agent' },
  capability_mappings: { desk: { tools: ['shop_*'], card_actions: ['search'] } },
  forbidden: [{ pattern: 'shell_*', reason: 'No shell', severity: 'critical' }],
  escalation_triggers: [
    { condition: "tool == 'shop_refund'", action: 'escalate', reason: 'Refunds are for people' },
  ],
  defaults: { enforcement_mode: 'enforce', unmapped_tool_action: 'block', grace_period_hours: 0 },
} as const

export type GuardWorld = { t: TestApp; baseUrl: string; touchstone: Touchstone }

/** A service that listens, for the guards of a test file. Read the result inside tests only. */
export function guardWorld(): GuardWorld {
  const world = {} as GuardWorld
  beforeAll(async () => {
    const t = await testApp()
    // The SDK stamps evidence with the current time, so the service's clock must match.
    t.clock.set(new Date().toISOString())
    const baseUrl = await t.app.server.listen({ port: 0, host: '127.0.0.1' })
    const touchstone = createTouchstone({ baseUrl, token: t.first.api_key, retries: 0 })
    Object.assign(world, { t, baseUrl, touchstone })
  })
  return world
}

/**
 * Registers an agent with a card and the policy of the desk. `local` is whether the user of its framework
 * can approve refunds.
 */
export async function newDeskAgent(
  { touchstone }: GuardWorld,
  { local = false } = {},
): Promise<string> {
  const { agent } = await touchstone.agents.create({ agent_id: `desk-${randomUUID()}`, card: CARD })
  await touchstone.policies.put(agent.agent_id, local ? LOCAL_POLICY : DESK_POLICY)
  return agent.agent_id
}

const LOCAL_POLICY = {
  ...DESK_POLICY,
  meta: { ...DESK_POLICY.meta, schema_version: '1.1' },
  escalation_triggers: DESK_POLICY.escalation_triggers.map((trigger) => ({
    ...trigger,
    approval: { local: true },
  })),
} as const

/** A decision with the fields that tests of guards read. */
type Decided = { decision_id: string; tool: string; decision: string; outcome: Reported | null }
type Reported = { status: string }

/** The decisions about the calls of an agent, the oldest first. */
export async function decisionsOf(
  { t }: GuardWorld,
  agentId: string,
  filter = '',
): Promise<Decided[]> {
  const path = `/v1/decisions?agent_id=${agentId}${filter}`
  return (await t.call('GET', path, { token: t.first.api_key })).body.decisions.toReversed()
}

export async function bypassesOf(w: GuardWorld, agentId: string): Promise<number> {
  return (await decisionsOf(w, agentId, '&outcome=bypassed')).length
}

/** A client whose requests to paths that end so fail while it is cut. */
export function cuttableClient(
  { baseUrl }: GuardWorld,
  token: string,
  path: string,
): { client: Touchstone; cut(cut: boolean): void } {
  let isCut = false
  const client = createTouchstone({
    baseUrl,
    token,
    retries: 0,
    fetch: (url, init) =>
      isCut && new URL(String(url)).pathname.endsWith(path)
        ? Promise.reject(new TypeError('cut'))
        : fetch(url, init),
  })
  return {
    client,
    cut(cut) {
      isCut = cut
    },
  }
}

/** Approves the pending escalation of an agent, once there is one, and returns it. */
export async function approvePending({ t }: GuardWorld, agentId: string) {
  const path = `/v1/escalations?agent_id=${agentId}&status=pending`
  const { body } = await t.call('GET', path, { token: t.first.api_key })
  const [escalation] = body.escalations
  await t.call('POST', `/v1/escalations/${escalation.escalation_id}/resolve`, {
    token: await t.ownerToken(),
    body: { outcome: 'approve' },
  })
  return escalation
}
