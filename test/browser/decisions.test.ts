import { readFile } from 'node:fs/promises'
import type { Browser, Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { sharedChromium } from '#harness/chromium.ts'
import { type Console, must, signIn, startConsole, waitUntilLoaded } from '#harness/console.ts'
import { eventually } from '#harness/eventually.ts'
import { openPage, shoot } from '#harness/page-check.ts'

const AGENT = 'office-desk'

let browser: Browser
let console: Console

type Asked = { tool: string; session_id?: string; arguments?: object }

const decide = (call: Asked) =>
  must(console, 'POST', '/v1/gateway/decide', { agent_id: AGENT, ...call })

/** Decides with a key that only records what would have happened. */
async function observe(call: Asked) {
  const { service, first } = console
  const login = { email: first.email, password: first.password }
  const session = await service.call('POST', '/v1/auth/login', { body: login })
  const made = await service.call('POST', `/v1/orgs/${first.org_id}/api-keys`, {
    token: session.body.access_token,
    body: { name: 'Watcher', scopes: ['decide'], mode: 'observe' },
  })
  expect(made.status, JSON.stringify(made.body)).toBe(201)
  const body = { agent_id: AGENT, ...call }
  return (await service.call('POST', '/v1/gateway/decide', { token: made.body.key, body })).body
}

beforeAll(async () => {
  browser = await sharedChromium()
  console = await startConsole()
  await must(console, 'POST', '/v1/agents', { agent_id: AGENT, name: 'Office desk' })
  await must(console, 'PUT', `/v1/agents/${AGENT}/policy`, {
    meta: { schema_version: '1.0', name: 'office', scope: 'agent' },
    forbidden: [
      { pattern: '*', reason: 'Every call is noted', severity: 'low' },
      { pattern: 'shell', reason: 'No shell on this desk', severity: 'critical' },
    ],
    escalation_triggers: [
      { condition: "tool == 'pay'", action: 'escalate', reason: 'Payments are for people' },
    ],
    defaults: { enforcement_mode: 'enforce', unmapped_tool_action: 'allow' },
  })
  await eventually(async () => {
    expect((await decide({ tool: 'warm-up' })).decision).toBe('warn')
  })
  const read = await decide({ tool: 'read_mail', session_id: 'morning' })
  const outcome = { status: 'executed', duration_ms: 12 }
  await must(console, 'POST', `/v1/decisions/${read.decision_id}/outcome`, outcome)
  await must(console, 'POST', '/v1/checkpoints/batch', {
    checkpoints: [
      {
        agent_id: AGENT,
        session_id: 'morning',
        thinking: 'The invoice is due today, so I pay it and then tidy up the desk.',
      },
    ],
  })
  await decide({ tool: 'pay', session_id: 'morning', arguments: { invoice: 'R-17', cents: 4200 } })
  await decide({ tool: 'shell', session_id: 'morning' })
  expect(await observe({ tool: 'shell' })).toMatchObject({ decision: 'block' })
})

async function openDecisions(query = '') {
  const opened = await openPage(browser, console.service.url, 'light')
  await signIn(opened.page, console.first)
  await opened.page.goto(`/o/${console.first.org_id}/decisions${query}`)
  await opened.page.getByRole('table', { name: 'Decisions, newest first' }).waitFor()
  return opened
}

const rows = (page: Page) => page.getByRole('table').locator('tbody tr')
const panel = (page: Page) => page.getByRole('region', { name: /shell|pay|read_mail/ })
const focusedRow = (page: Page) => page.locator('[data-row]:focus')
const chips = (page: Page) => page.getByRole('list', { name: 'Active filters' })

describe('an address without an organisation', () => {
  it('opens its section in the organisation of the account, once its reader has signed in', async () => {
    const { page, assertClean } = await openPage(browser, console.service.url, 'light')
    const { org_id: orgId, email, password } = console.first
    await page.goto('/decisions?decision=block')
    await page.getByLabel('Email').fill(email)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL(`**/o/${orgId}/decisions?decision=*`)
    await page.getByRole('cell', { name: 'Stopped' }).first().waitFor()
    await page.goto('/settings/api-keys')
    await page.waitForURL(`**/o/${orgId}/settings/api-keys`)
    await page.goto('/connect/codex')
    await page.waitForURL(`**/o/${orgId}/connect/codex`)
    await page.getByRole('heading', { level: 1, name: 'Codex' }).waitFor()
    await assertClean()
    expect((await console.service.call('GET', '/decision', {})).status).toBe(404)
  })
})

describe('the list of decisions', () => {
  it('shows the reason that decided, and what was not enforced', async () => {
    const { page, assertCleanInEveryLook } = await openDecisions()
    const blocked = rows(page).filter({ hasText: /^Blocked/ })
    await blocked.getByText('No shell on this desk').waitFor()
    const observed = rows(page).filter({ hasText: 'Would be blocked' })
    expect(await observed.count()).toBe(1)
    await rows(page).filter({ hasText: 'Payments are for people' }).waitFor()
    await assertCleanInEveryLook((look) => shoot(page, 'decisions', look))
  })

  it('has a chip for each filter, which removes it from the address', async () => {
    const { page, assertCleanInEveryLook } = await openDecisions('?source=api')
    await page.getByRole('group', { name: 'Decisions' }).getByText('Blocked').click()
    await chips(page).getByText('Decision Blocked').waitFor()
    await page.getByRole('button', { name: 'Filters' }).click()
    await page.getByLabel('Session ID').fill('morning')
    await chips(page).getByText('Session morning').waitFor()
    await expect.poll(() => rows(page).count()).toBe(1)
    await assertCleanInEveryLook((look) => shoot(page, 'decisions-filters', look))
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Remove filter Session' }).click()
    await expect.poll(() => rows(page).count()).toBe(2)
    expect(new URL(page.url()).searchParams.get('session_id')).toBeNull()
    await page.getByRole('link', { name: 'Clear filters' }).click()
    await expect.poll(() => new URL(page.url()).search).toBe('')
  })

  it('is searched and read with the keyboard alone', async () => {
    const { page, assertClean } = await openDecisions()
    await page.keyboard.press('/')
    await page.keyboard.type('shel')
    await page.getByRole('link', { name: 'Search tools that begin with shel' }).click()
    await expect.poll(() => rows(page).count()).toBe(2)

    await page.keyboard.press('j')
    await expect.poll(() => focusedRow(page).count()).toBe(1)
    const first = await focusedRow(page).getAttribute('data-row')
    await page.keyboard.press('j')
    await expect.poll(() => focusedRow(page).getAttribute('data-row')).not.toBe(first)
    await page.keyboard.press('ArrowUp')
    await expect.poll(() => focusedRow(page).getAttribute('data-row')).toBe(first)

    await page.keyboard.press('Enter')
    await panel(page).waitFor()
    await page.keyboard.press('j')
    await expect.poll(() => new URL(page.url()).searchParams.get('open')).not.toBe(first)
    await page.keyboard.press('k')
    await expect.poll(() => new URL(page.url()).searchParams.get('open')).toBe(first)
    await page.keyboard.press('Escape')
    await panel(page).waitFor({ state: 'hidden' })
    await expect.poll(() => focusedRow(page).getAttribute('data-row')).toBe(first)

    await page.getByRole('button', { name: 'Turn off shortcuts' }).click()
    await page.keyboard.press('/')
    await page.getByRole('button', { name: 'Turn on shortcuts' }).click()
    expect(await page.getByPlaceholder('Tool, prefix* or ID').inputValue()).toBe('shel*')
    await assertClean()
  })
})

describe('the panel beside the list', () => {
  it('shows the rule, the session in order, and a receipt that holds', async () => {
    const { page, assertCleanInEveryLook } = await openDecisions('?session_id=morning')
    await rows(page).filter({ hasText: 'shell' }).click()
    await panel(page)
      .getByText(/Agent policy, version 1, line \d+/)
      .waitFor()
    await panel(page).getByText('pattern: shell').waitFor()
    await waitUntilLoaded(page)
    const session = panel(page)
      .getByRole('listitem')
      .filter({ has: page.getByRole('time') })
    await expect.poll(() => session.count()).toBe(5)
    const moments = await session.allTextContents()
    const order = [/warning.*read_mail/, /Executed.*read_mail/, /Checkpoint/, /pay/, /shell/]
    for (const [place, moment] of order.entries()) expect(moments[place]).toMatch(moment)
    await assertCleanInEveryLook((look) => shoot(page, 'decisions-panel', look))

    await panel(page).getByRole('button', { name: 'Check receipt' }).click()
    await page.locator('[data-verdict="holds"]').waitFor({ timeout: 60_000 })
    await panel(page).getByRole('link', { name: 'pay' }).click()
    await panel(page).getByText('R-17').waitFor()
    expect(await page.locator('[data-verdict="holds"]').count()).toBe(0)
    await waitUntilLoaded(page)
    await assertCleanInEveryLook((look) => shoot(page, 'decisions-panel-pay', look))
    await panel(page).getByRole('link', { name: 'Open page' }).click()
    await page.getByRole('heading', { level: 1, name: 'Decision Escalated' }).waitFor()
  })

  it('opens from its address', async () => {
    const { decisions } = await must(console, 'GET', '/v1/decisions?tool=pay')
    const { page } = await openDecisions(`?open=${decisions[0].decision_id}`)
    await panel(page).getByText('Payments are for people').first().waitFor()
    await panel(page).getByRole('button', { name: 'Close' }).click()
    await expect.poll(() => new URL(page.url()).search).toBe('')
  })
})

describe('a saved view', () => {
  it('keeps its filters in this browser until it is deleted', async () => {
    const { page, assertCleanInEveryLook } = await openDecisions('?decision=%5B%22block%22%5D')
    await page.getByRole('button', { name: 'Save view' }).click()
    await page.getByLabel('Name').fill('Stopped')
    await page.getByRole('dialog').getByRole('button', { name: 'Save view' }).click()
    const views = page.getByRole('navigation', { name: 'Saved views' })
    await views.getByRole('link', { name: 'All decisions' }).click()
    await expect.poll(() => rows(page).count()).toBeGreaterThan(4)
    await page.reload()
    await views.getByRole('link', { name: 'Stopped' }).click()
    await expect.poll(() => rows(page).count()).toBe(2)
    await assertCleanInEveryLook((look) => shoot(page, 'decisions-view', look))

    await page.getByRole('button', { name: 'Edit view' }).click()
    await page.getByLabel('Name').fill('All decisions')
    await page.getByRole('button', { name: 'Rename' }).click()
    await page.getByText('Another view has this name.').waitFor()
    await page.getByLabel('Name').fill('Refused')
    await page.getByRole('button', { name: 'Rename' }).click()
    await views.getByRole('link', { name: 'Refused' }).waitFor()
    await page.getByRole('button', { name: 'Edit view' }).click()
    await page.getByRole('button', { name: 'Delete view' }).click()
    await views.waitFor({ state: 'hidden' })
  })
})

describe('the export', () => {
  it.each(['CSV', 'JSON Lines'])('has what the filters let through, as %s', async (format) => {
    const { page, assertClean } = await openDecisions('?tool=shell')
    await page.getByRole('button', { name: 'Export' }).click()
    await assertClean()
    const downloading = page.waitForEvent('download')
    await page.getByRole('button', { name: format, exact: true }).click()
    const download = await downloading
    const isCsv = format === 'CSV'
    expect(download.suggestedFilename()).toMatch(
      isCsv ? /^decisions-\d{8}\.csv$/ : /^decisions-\d{8}\.ndjson$/,
    )
    const lines = (await readFile(await download.path(), 'utf8')).trim().split('\n')
    // Two decisions; CSV has a line of names, JSON Lines a header and a trailer.
    expect(lines).toHaveLength(isCsv ? 3 : 4)
  })
})
