import type { Browser } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { sharedChromium } from '#harness/chromium.ts'
import { type Console, must, signIn, startConsole, waitUntilLoaded } from '#harness/console.ts'
import { openPage, shoot } from '#harness/page-check.ts'

let browser: Browser
let console: Console

beforeAll(async () => {
  browser = await sharedChromium()
  console = await startConsole()
  await must(console, 'POST', '/v1/agents', { agent_id: 'ledger-desk', name: 'Ledger desk' })
  for (const name of ['First', 'Second']) {
    await must(console, 'PATCH', '/v1/agents/ledger-desk', { description: `${name} text` })
  }
})

async function open(path: string) {
  const opened = await openPage(browser, console.service.url, 'light')
  await signIn(opened.page, console.first)
  await opened.page.goto(`/o/${console.first.org_id}${path}`)
  return opened
}

describe('the settings', () => {
  it('filter the audit log by actor, action and target, and export it', async () => {
    const { page, assertCleanInEveryLook } = await open('/settings/audit-log')
    const table = page.getByRole('table', { name: 'Audit log, newest first' })
    await table.getByText('Agent updated').first().waitFor()
    await waitUntilLoaded(page)
    await assertCleanInEveryLook((look) => shoot(page, 'settings-audit', look))
    await page.getByLabel('Action (exact match)').fill('agent.updated')
    await expect.poll(() => table.getByRole('row').count()).toBe(3)
    await table.getByRole('button', { name: 'ledger-desk' }).first().click()
    await expect.poll(() => new URL(page.url()).searchParams.get('target')).toBe('ledger-desk')
    await page.getByRole('button', { name: 'Export' }).click()
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'CSV' }).click()
    expect((await download).suggestedFilename()).toBe('audit-log.csv')
    await page.getByLabel('Actor').selectOption({ label: console.first.email })
    await page.getByText('No matching entries').waitFor()
  })

  it('name the channels of approvals, with errors at their fields', async () => {
    const { page, assertCleanInEveryLook } = await open('/settings/approval-channels')
    await page.getByLabel(console.first.email).check()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Approval channels saved').waitFor()
    await waitUntilLoaded(page)
    await assertCleanInEveryLook((look) => shoot(page, 'settings-channels', look))
    await page.getByLabel('Slack').fill('https://127.0.0.1/hook')
    await page.getByRole('button', { name: 'Save' }).click()
    await expect.poll(() => page.getByLabel('Slack').getAttribute('aria-invalid')).toBe('true')
  })

  it('say how long data is kept', async () => {
    const { page, assertCleanInEveryLook } = await open('/settings/retention')
    await page.getByRole('row', { name: 'Audit log 400 days' }).waitFor()
    await assertCleanInEveryLook((look) => shoot(page, 'settings-retention', look))
  })

  it('explain why a webhook in the own network is refused', async () => {
    const { page } = await open('/webhooks')
    await page.getByRole('button', { name: 'Add endpoint' }).first().click()
    await page.getByLabel('URL').fill('https://10.1.2.3/hook')
    await page.getByText('An address on this machine or in your network?').click()
    await page.getByText('EGRESS_ALLOW_CIDRS').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Add endpoint' }).click()
    await expect.poll(() => page.getByLabel('URL').getAttribute('aria-invalid')).toBe('true')
    await shoot(page, 'webhook-refused', 'light')
  })
})

describe('the pages without data', () => {
  it('say that an address does not exist, and that the network is away and back', async () => {
    const { page } = await open('/settings/members')
    await page.getByRole('table').first().waitFor()
    await page.context().setOffline(true)
    await page
      .getByText('You are offline. What you see may be outdated', { exact: false })
      .waitFor()
    await shoot(page, 'offline', 'light')
    await page.context().setOffline(false)
    await page.getByText('You are offline.', { exact: false }).waitFor({ state: 'hidden' })
    const answer = await page.goto('/no-such-page')
    expect(answer?.status()).toBe(404)
    await page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor()
    await shoot(page, 'missing-page', 'light')
  })
})
