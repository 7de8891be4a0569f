import type { Browser, Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { CARD, textOf, VIOLATION } from '#harness/checkpoints.ts'
import { sharedChromium } from '#harness/chromium.ts'
import {
  type Console,
  must,
  sendCheckpoints,
  signIn,
  startConsole,
  waitUntilLoaded,
} from '#harness/console.ts'
import { eventually } from '#harness/eventually.ts'
import { openPage, shoot } from '#harness/page-check.ts'

const AGENT = 'night-desk'

let browser: Browser
let console: Console

const decide = (tool: string) =>
  must(console, 'POST', '/v1/gateway/decide', { agent_id: AGENT, tool, session_id: 'late' })

async function violate(sessionId: string): Promise<void> {
  await must(console, 'POST', '/v1/checkpoints/batch', {
    checkpoints: [1, 2, 3, 4].map((number) => ({
      agent_id: AGENT,
      session_id: sessionId,
      thinking: textOf(number * 100 + sessionId.length, VIOLATION),
    })),
  })
}

beforeAll(async () => {
  browser = await sharedChromium()
  console = await startConsole()
  await must(console, 'POST', '/v1/agents', { agent_id: 'day-desk', name: 'Day desk', card: CARD })
  await must(console, 'POST', '/v1/agents', { agent_id: AGENT, name: 'Night desk', card: CARD })
  await sendCheckpoints(console, 'day-desk', { clear: 52 })
  await must(console, 'POST', '/v1/reputation/day-desk/recompute')
  const { org_id: orgId } = console.first
  await must(console, 'PUT', `/v1/orgs/${orgId}/policy`, {
    meta: { schema_version: '1.0', name: 'House rules', scope: 'org' },
    forbidden: [{ pattern: '*shell*', reason: 'No shell', severity: 'critical' }],
    defaults: { enforcement_mode: 'enforce', unmapped_tool_action: 'allow' },
  })
  await must(console, 'PUT', `/v1/agents/${AGENT}/policy`, {
    meta: { schema_version: '1.0', name: 'Night', scope: 'agent' },
    forbidden: [{ pattern: 'open_vault', reason: 'Not at night', severity: 'high' }],
    defaults: { enforcement_mode: 'enforce', unmapped_tool_action: 'allow' },
  })
  await eventually(async () => expect((await decide('open_vault')).decision).toBe('block'))
  await decide('read_mail')
  for (const session of ['late', 'later', 'latest']) await violate(session)
})

async function open(path: string) {
  const opened = await openPage(browser, console.service.url, 'light')
  await signIn(opened.page, console.first)
  await opened.page.goto(`/o/${console.first.org_id}/agents${path}`)
  return opened
}

const names = (page: Page) =>
  page
    .getByRole('table', { name: 'Agents' })
    .getByRole('link', { name: /^(Day|Night) desk$/ })
    .allTextContents()

describe('the list of agents', () => {
  it('is sorted by its headers, filtered by findings, and leads to what it counts', async () => {
    const { page, assertCleanInEveryLook } = await open('')
    await expect.poll(() => names(page)).toEqual(['Day desk', 'Night desk'])
    await page.getByRole('button', { name: 'Violations' }).click()
    await expect.poll(() => names(page)).toEqual(['Night desk', 'Day desk'])
    await waitUntilLoaded(page)
    await assertCleanInEveryLook((look) => shoot(page, 'agents', look))
    await page.getByRole('combobox', { name: 'Findings' }).selectOption('blocked')
    await expect.poll(() => names(page)).toEqual(['Night desk'])
    await page.getByRole('link', { name: /blocked calls? of Night desk$/ }).click()
    await page.getByRole('heading', { level: 1, name: 'Decisions' }).waitFor()
    await page.getByRole('table').getByText('open_vault').first().waitFor()
    expect(await page.getByRole('table').getByText('read_mail').count()).toBe(0)
  })
})

describe('the page of an agent', () => {
  it('says which policy each rule comes from', async () => {
    const { page, assertCleanInEveryLook } = await open(`/${AGENT}`)
    await page.getByText('From the policy of the organisation').first().waitFor()
    await page.getByText('From the policy of the agent').first().waitFor()
    await waitUntilLoaded(page)
    await assertCleanInEveryLook((look) => shoot(page, 'agent', look))
  })

  it('shows its sessions with decisions and checkpoints in order', async () => {
    const { page, assertCleanInEveryLook } = await open(`/${AGENT}/sessions`)
    await page.getByText('late', { exact: true }).click()
    await page.getByText('Not at night').first().waitFor()
    await page.getByRole('link', { name: 'Checkpoint' }).first().waitFor()
    await waitUntilLoaded(page)
    await assertCleanInEveryLook((look) => shoot(page, 'agent-sessions', look))
  })

  it('groups violations by rule', async () => {
    const { page, assertCleanInEveryLook } = await open(`/${AGENT}/violations`)
    const rules = page.getByRole('table', { name: 'Violations by rule' })
    await rules.getByRole('link', { name: 'Did what the card forbids' }).click()
    await page.getByRole('button', { name: /^Did what the card forbids/ }).waitFor()
    await waitUntilLoaded(page)
    await assertCleanInEveryLook((look) => shoot(page, 'agent-violations', look))
  })

  it('has drift as a chart, and acknowledges a group of alerts at once', async () => {
    const { page, assertCleanInEveryLook } = await open(`/${AGENT}/drift`)
    await page.getByRole('figure', { name: 'Drift alerts by day' }).waitFor()
    await waitUntilLoaded(page)
    await assertCleanInEveryLook((look) => shoot(page, 'agent-drift', look))
    await page.getByRole('button', { name: /^Acknowledge all/ }).click()
    await page.getByText(/^\d+ alerts acknowledged$/).waitFor()
    await expect.poll(() => page.getByRole('button', { name: /^Acknowledge/ }).count()).toBe(0)
  })
})
