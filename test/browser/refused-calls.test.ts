import { createClient } from '@touchstone/sdk'
import { createGuard, GuardRefusal } from '@touchstone/sdk/guard'
import type { Browser } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { CARD, textOf } from '#harness/checkpoints.ts'
import { sharedChromium } from '#harness/chromium.ts'
import { type Console, must, signIn, startConsole, waitUntilLoaded } from '#harness/console.ts'
import { openPage, shoot } from '#harness/page-check.ts'

const AGENT = 'careless-desk'

let browser: Browser
let console: Console

/** Guards three calls of one agent: a blocked and an escalated one that think aloud, and a short one. */
beforeAll(async () => {
  browser = await sharedChromium()
  console = await startConsole()
  const envelope = { ...CARD.autonomy_envelope, bounded_actions: ['shell', 'pay', 'search'] }
  await must(console, 'POST', '/v1/agents', {
    agent_id: AGENT,
    name: 'Careless desk',
    card: { ...CARD, autonomy_envelope: envelope },
  })
  await must(console, 'PUT', `/v1/agents/${AGENT}/policy`, {
    meta: { schema_version: '1.0', name: 'careless', scope: 'agent' },
    forbidden: [{ pattern: 'shell', reason: 'No shell on this desk', severity: 'critical' }],
    escalation_triggers: [
      { condition: "tool == 'pay'", action: 'escalate', reason: 'Payments are for people' },
    ],
    defaults: { enforcement_mode: 'enforce', unmapped_tool_action: 'allow' },
  })
  const client = createClient({ baseUrl: console.service.url, token: console.first.api_key })
  const guardOf = (sessionId: string) => createGuard({ client, agentId: AGENT, sessionId })
  const refused = guardOf('refused')
  for (const [number, tool] of ['shell', 'pay'].entries()) {
    const call = { tool, arguments: {}, thinking: textOf(number) }
    await expect(refused.run(call, () => 'never')).rejects.toThrow(GuardRefusal)
  }
  await refused.flush()
  const brief = guardOf('brief')
  await brief.run({ tool: 'search', arguments: {} }, () => 'found')
  await brief.flush()

  const { decisions } = await must(console, 'GET', '/v1/decisions?tool=shell')
  const blocked = await must(console, 'POST', '/v1/gateway/decide', {
    agent_id: AGENT,
    tool: 'shell',
  })
  expect(decisions).toMatchObject([{ outcome: { status: 'not_executed', bypassed: false } }])
  await must(console, 'POST', `/v1/decisions/${blocked.decision_id}/outcome`, {
    status: 'executed',
  })
})

async function open(path: string) {
  const opened = await openPage(browser, console.service.url, 'light')
  await signIn(opened.page, console.first)
  await opened.page.goto(`/o/${console.first.org_id}${path}`)
  await waitUntilLoaded(opened.page)
  return opened
}

/** The tone of a mark, as the class of its background. */
const RED = /\bbg-bad-wash\b/
const GREEN = '.bg-good-wash'

describe('a call that was made although it was refused', () => {
  it('is red in the list, on its page and on the page of its agent', async () => {
    const { page, assertCleanInEveryLook } = await open('/decisions?outcome=bypassed')
    const row = page.getByRole('table').locator('tbody tr')
    await row.getByText('Bypassed').waitFor()
    expect(await row.count()).toBe(1)
    expect(await row.getByText('Bypassed').getAttribute('class')).toMatch(RED)
    expect(await row.locator(GREEN).count()).toBe(0)
    await assertCleanInEveryLook((look) => shoot(page, 'refused-bypassed', look))

    const { decisions } = await must(console, 'GET', '/v1/decisions?outcome=bypassed')
    await page.goto(`/o/${console.first.org_id}/decisions/${decisions[0].decision_id}`)
    const said = page.getByText('The call was made although it was not allowed.')
    await said.waitFor()
    expect(await said.getAttribute('class')).toMatch(RED)

    await page.goto(`/o/${console.first.org_id}/agents/${AGENT}`)
    const notice = page.locator('p').filter({ hasText: 'the agent made a call' })
    await notice.waitFor()
    expect(await notice.getAttribute('class')).toMatch(RED)
    await page.getByRole('link', { name: 'View bypassed decisions' }).click()
    await page.waitForURL('**/decisions?*outcome=bypassed*')
  })
})

describe('the checkpoints of refused calls', () => {
  it('say so, and none of them is green; a short one is not judged', async () => {
    const { page, assertCleanInEveryLook } = await open(`/agents/${AGENT}/checkpoints`)
    const row = (text: string) => page.getByRole('table').locator('tbody tr', { hasText: text })
    await row('Call blocked').waitFor()
    await row('Call escalated').waitFor()
    expect(await row('Call blocked').getByText('Call blocked').getAttribute('class')).toMatch(RED)
    // The agent's reasoning was in order; the call was not.
    for (const call of ['Call blocked', 'Call escalated']) {
      await row(call).getByText('Clear', { exact: true }).waitFor()
      expect(await row(call).locator(GREEN).count()).toBe(0)
    }
    await row('brief').getByText('Not judged').waitFor()
    expect(await row('brief').locator(GREEN).count()).toBe(0)
    await assertCleanInEveryLook((look) => shoot(page, 'refused-checkpoints', look))

    await row('Call blocked').getByRole('link').first().click()
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.getByText('Call blocked').first().waitFor()
  })
})

describe('the traces of refused calls', () => {
  it('are marked as refused, and not judged by the card', async () => {
    const { page, assertCleanInEveryLook } = await open(`/agents/${AGENT}/traces`)
    const row = (text: string) => page.getByRole('table').locator('tbody tr', { hasText: text })
    for (const mark of ['Blocked', 'Escalated']) {
      await row(mark).getByText(mark, { exact: true }).waitFor()
      await row(mark).getByText('Not judged').first().waitFor()
      expect(await row(mark).locator(GREEN).count()).toBe(0)
    }
    await assertCleanInEveryLook((look) => shoot(page, 'refused-traces', look))
  })
})
