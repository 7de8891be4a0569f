import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { CARD, textOf, VIOLATION } from './checkpoints.ts'
import { eventually } from './eventually.ts'
import { type Service, startSharedService } from './process.ts'
import { temporaryDir } from './temporary-dir.ts'

export type FirstAccount = { org_id: string; api_key: string; email: string; password: string }

export type Console = { service: Service; first: FirstAccount; dir: string }

/** Starts a service with only its first owner. */
export async function startConsole(env: Record<string, string> = {}): Promise<Console> {
  const dir = await temporaryDir()
  const service = await startSharedService({ DATA_DIR: dir, ...env }, ['--empty'])
  const first = JSON.parse(await readFile(join(dir, 'credentials.json'), 'utf8'))
  return { service, first, dir }
}

/** Signs in with the form, as a person does. */
export async function signIn(page: Page, { email, password }: FirstAccount): Promise<void> {
  await page.goto('/sign-in')
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL('**/o/**')
}

/** Waits until no part of the page shows that it is loading. */
export async function waitUntilLoaded(page: Page): Promise<void> {
  await page.getByText('Loading…').first().waitFor({ state: 'hidden' })
}

export async function must(
  { service, first }: Console,
  method: string,
  path: string,
  body?: unknown,
) {
  const answer = await service.call(method, path, {
    token: first.api_key,
    ...(body === undefined ? {} : { body }),
  })
  expect(answer.status, `${method} ${path}: ${JSON.stringify(answer.body)}`).toBeLessThan(300)
  return answer.body
}

/** Sends clear checkpoints, then violations. Fifty checkpoints make a rating. */
export async function sendCheckpoints(
  console: Console,
  agentId: string,
  { clear, violations = 0 }: { clear: number; violations?: number },
): Promise<string[]> {
  const checkpoints = Array.from({ length: clear + violations }, (_, number) => ({
    agent_id: agentId,
    session_id: `session-${Math.floor(number / 12)}`,
    thinking: textOf(number, number < clear ? '' : VIOLATION),
  }))
  const sent: string[] = []
  for (let from = 0; from < checkpoints.length; from += 50) {
    const body = { checkpoints: checkpoints.slice(from, from + 50) }
    const { results } = await must(console, 'POST', '/v1/checkpoints/batch', body)
    for (const result of results) sent.push(result.checkpoint_id)
  }
  return sent
}

const trace = (agentId: string, isUsual: boolean) => ({
  agent_id: agentId,
  action: isUsual
    ? { type: 'recommend', category: 'bounded', name: 'search' }
    : { type: 'execute', category: 'escalation_trigger', name: 'purchase' },
  decision: {
    selected: isUsual ? 'The tracking page' : 'A new parcel',
    selection_reasoning: isUsual
      ? 'The customer wants to know where the parcel is, and the page says it.'
      : 'A new one is there sooner than the old one is found.',
    values_applied: isUsual ? ['transparency'] : ['honesty'],
    confidence: isUsual ? 0.9 : 0.4,
  },
  escalation: { evaluated: true, required: !isUsual, reason: 'More than the limit.' },
})

/**
 * Creates three agents: a rated one with data of every kind, a paused one, and one without
 * checkpoints.
 */
export async function seedConsole(console: Console): Promise<{ checkpointId: string }> {
  const { first } = console
  const agent = (agentId: string, name: string, visibility: string) =>
    must(console, 'POST', '/v1/agents', { agent_id: agentId, name, visibility, card: CARD })
  await agent('support-desk', 'Support desk', 'public')
  await agent('procurement', 'Procurement', 'unlisted')
  await agent('night-watch', 'Night watch', 'private')
  const sent = await sendCheckpoints(console, 'support-desk', { clear: 52, violations: 3 })
  for (const isUsual of [true, true, true, true, true, false, false, false, false]) {
    await must(console, 'POST', '/v1/traces', trace('support-desk', isUsual))
  }
  await must(console, 'POST', '/v1/reputation/support-desk/recompute')
  const autonomy = { ...CARD.autonomy_envelope, bounded_actions: ['search', 'recommend', 'order'] }
  await must(console, 'PUT', '/v1/agents/support-desk/card', {
    ...CARD,
    autonomy_envelope: autonomy,
  })
  await must(console, 'PUT', '/v1/agents/procurement/policy', {
    meta: { schema_version: '1.0', name: 'buying', scope: 'agent' },
    escalation_triggers: [
      { condition: "tool == 'refund'", action: 'escalate', reason: 'Refunds are for people' },
    ],
    defaults: { enforcement_mode: 'enforce' },
  })
  await eventually(async () => {
    const call = { agent_id: 'procurement', tool: 'refund' }
    expect((await must(console, 'POST', '/v1/gateway/decide', call)).decision).toBe('escalate')
  })
  const contained = `/v1/orgs/${first.org_id}/agents/night-watch/pause`
  await must(console, 'POST', contained, { reason: 'It rang at three in the morning.' })
  return { checkpointId: sent.at(-1) ?? '' }
}
