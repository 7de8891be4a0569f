import { gzipSync } from 'node:zlib'
import type { Browser, Locator, Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { sharedChromium } from '#harness/chromium.ts'
import { type Console, must, signIn, startConsole, waitUntilLoaded } from '#harness/console.ts'
import { eventually } from '#harness/eventually.ts'
import { type Look, openPage, shoot, tabTo } from '#harness/page-check.ts'

/** Added to what the sign-in page has loaded. */
const PAGE_BYTES_MAX = 60_000

const AGENT = 'loading-bay'

let browser: Browser
let console: Console

beforeAll(async () => {
  browser = await sharedChromium()
})

async function addAgent(): Promise<void> {
  await must(console, 'POST', '/v1/agents', { agent_id: AGENT, name: 'Loading bay' })
}

async function addPolicy(): Promise<void> {
  await must(console, 'PUT', `/v1/agents/${AGENT}/policy`, {
    meta: { schema_version: '1.0', name: 'bay', scope: 'agent' },
    forbidden: [{ pattern: 'open_gate', reason: 'The gate stays shut', severity: 'high' }],
    escalation_triggers: [
      { condition: "tool == 'sign_for'", action: 'escalate', reason: 'People sign' },
    ],
    defaults: { enforcement_mode: 'enforce', unmapped_tool_action: 'allow' },
  })
}

const decide = (tool: string) =>
  must(console, 'POST', '/v1/gateway/decide', { agent_id: AGENT, tool, session_id: 'shift' })

async function openOverview(look: Look = 'light') {
  const opened = await openPage(browser, console.service.url, look)
  await signIn(opened.page, console.first)
  return opened
}

const checklist = (page: Page) => page.getByRole('region', { name: 'Set up your organisation' })
const step = (page: Page, title: string) =>
  checklist(page).getByRole('listitem').filter({ hasText: title })
const chart = (page: Page, name: string) => page.getByRole('figure', { name })
const slider = (page: Page, name: string) => chart(page, name).getByRole('slider')
const activity = (page: Page) => page.getByRole('region', { name: 'Live activity' })
const rangeOf = (page: Page) => new URL(page.url()).searchParams.get('range')

describe('the overview of an empty organisation', () => {
  beforeAll(async () => {
    console = await startConsole()
  })

  it('is a checklist that ticks itself', async () => {
    const { page, assertCleanInEveryLook } = await openOverview()
    await checklist(page).getByText('0 of 5 done').waitFor()
    await assertCleanInEveryLook((look) => shoot(page, 'overview-empty', look))

    await addAgent()
    await step(page, 'Connect an agent').getByText('Done').waitFor()
    await addPolicy()
    await step(page, 'Write a policy').getByText('Done').waitFor()
    await checklist(page).getByText('2 of 5 done').waitFor()
    expect(await step(page, 'Add a webhook').getByText('Done').count()).toBe(0)

    await step(page, 'Connect an agent').getByRole('link').click()
    await page.getByRole('heading', { level: 1, name: 'Connect' }).waitFor()
  })
})

describe('the overview', () => {
  beforeAll(async () => {
    console = await startConsole()
    await addAgent()
    await addPolicy()
    await eventually(async () => expect((await decide('open_gate')).decision).toBe('block'))
    for (const tool of ['scan', 'scan', 'open_gate', 'sign_for']) await decide(tool)
  })

  it('shows outcomes, the queue and the latest activity in every look', async () => {
    const { page, assertCleanInEveryLook } = await openOverview()
    await page.getByText('Compared with the previous 24 hours').waitFor()
    await page.getByRole('link', { name: /^Blocked [2-9]/ }).waitFor()
    await page.getByText('The gate stays shut').waitFor()
    await page.getByRole('link', { name: 'Review sign_for' }).waitFor()
    await page.getByRole('link', { name: 'Approvals 1 call waits' }).waitFor()
    await page.getByText('New', { exact: true }).waitFor()
    const lines = activity(page).getByRole('listitem')
    await expect.poll(() => lines.count()).toBeGreaterThanOrEqual(5)
    await lines.filter({ hasText: 'Blocked' }).filter({ hasText: 'open_gate' }).first().waitFor()
    await waitUntilLoaded(page)
    await assertCleanInEveryLook((look) => shoot(page, 'overview', look))

    const before = await lines.filter({ hasText: 'weigh' }).count()
    await decide('weigh')
    await expect.poll(() => lines.filter({ hasText: 'weigh' }).count()).toBe(before + 1)
    await lines.filter({ hasText: 'weigh' }).getByRole('link', { name: 'Loading bay' }).waitFor()
  })

  it('is read with the keyboard, bar by bar, and leads to the decisions of a bar', async () => {
    const { page, assertClean } = await openOverview()
    const bars = slider(page, 'Decisions by outcome')
    await tabTo(page, bars)
    const read = () => bars.getAttribute('aria-valuetext')
    await expect.poll(read).toMatch(/: Allowed \d+, .*Blocked \d+$/)
    const last = await read()
    await page.keyboard.press('ArrowLeft')
    await expect.poll(read).not.toBe(last)
    await assertClean()
    await page.keyboard.press('End')
    await expect.poll(read).toBe(last)
    // A new hour may have begun since the calls were made.
    if (/Blocked 0$/.test(last ?? '')) await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('Enter')
    await page.getByRole('list', { name: 'Active filters' }).getByText('From').waitFor()
    await page.getByRole('table').getByText('open_gate').first().waitFor()
  })

  it('has a table in place of each chart', async () => {
    const { page, assertCleanInEveryLook } = await openOverview()
    await chart(page, 'Decisions by outcome').getByRole('button', { name: 'Table' }).click()
    const table = page.getByRole('table', { name: 'Decisions by outcome' })
    await expect.poll(() => table.getByRole('row').count()).toBe(25)
    await assertCleanInEveryLook((look) => shoot(page, 'overview-table', look))
  })

  it('keeps its time range in the address, and other pages use it', async () => {
    const { page, assertClean } = await openOverview()
    await page.getByRole('group', { name: 'Time range' }).getByText('7 d').click()
    await page.getByText('Compared with the previous 7 days').waitFor()
    expect(rangeOf(page)).toBe('7d')
    await page.getByRole('link', { name: 'Decisions', exact: true }).click()
    await page.getByRole('region', { name: 'Decisions: Last 7 days' }).waitFor()
    expect(rangeOf(page)).toBe('7d')

    await page.getByRole('button', { name: 'Custom' }).click()
    await page.getByLabel('From').fill('2024-01-01T00:00')
    await page.getByLabel('Until').fill('2024-01-02T00:00')
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.getByText('No decisions in this time range').waitFor()
    await assertClean()
    await page.getByRole('button', { name: 'Show all time' }).click()
    await page.getByRole('table').getByText('open_gate').first().waitFor()
    expect(rangeOf(page)).toBeNull()
  })

  it('refuses a custom range that ends before it begins', async () => {
    const { page } = await openOverview()
    await page.getByRole('button', { name: 'Custom' }).click()
    await page.getByLabel('From').fill('2026-01-02T00:00')
    await page.getByLabel('Until').fill('2026-01-01T00:00')
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.getByText('From must be before Until').waitFor()
  })

  it('puts the call that waits above the charts on a phone', async () => {
    const { page, assertClean } = await openOverview('phone')
    const review = page.getByRole('link', { name: 'Review sign_for' })
    await review.waitFor()
    await chart(page, 'Decisions by outcome').waitFor()
    const topOf = async (element: Locator) => (await element.boundingBox())?.y ?? 0
    expect(await topOf(review)).toBeLessThan(await topOf(chart(page, 'Decisions by outcome')))
    await assertClean()
    await tabTo(page, review)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: /Approval/ }).waitFor()
  })

  it(`and its neighbours load at most ${PAGE_BYTES_MAX} bytes of compressed code each`, async () => {
    const { page } = await openPage(browser, console.service.url, 'light')
    const loaded = new Map<string, Promise<number>>()
    page.on('response', (answer) => {
      const isCode = ['script', 'stylesheet'].includes(answer.request().resourceType())
      if (!isCode || loaded.has(answer.url())) return
      loaded.set(
        answer.url(),
        answer.body().then((body) => gzipSync(body, { level: 6 }).length),
      )
    })
    await page.goto('/sign-in')
    await page.getByLabel('Email').waitFor()
    for (const [path, sign] of [
      ['', 'Most blocked'],
      ['/approvals', 'Approval queue'],
      ['/decisions', 'The gate stays shut'],
    ] as const) {
      const before = new Set(loaded.keys())
      if (path === '') await signIn(page, console.first)
      else await page.goto(`/o/${console.first.org_id}${path}`)
      await page.getByText(sign).first().waitFor()
      await waitUntilLoaded(page)
      const added = [...loaded].flatMap(([url, size]) => (before.has(url) ? [] : [size]))
      const bytes = (await Promise.all(added)).reduce((sum, size) => sum + size, 0)
      process.stdout.write(`page ${path === '' ? 'overview' : path}: ${bytes} bytes gzip\n`)
      expect(bytes, path).toBeLessThanOrEqual(PAGE_BYTES_MAX)
    }
  })
})
