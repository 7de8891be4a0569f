import type { Browser, Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { sharedChromium } from '#harness/chromium.ts'
import {
  type Console,
  seedConsole,
  signIn,
  startConsole,
  waitUntilLoaded,
} from '#harness/console.ts'
import { openPage, shiftOf, shoot } from '#harness/page-check.ts'

let browser: Browser
let console: Console
let checkpointId: string

beforeAll(async () => {
  browser = await sharedChromium()
  console = await startConsole()
  const seeded = await seedConsole(console)
  checkpointId = seeded.checkpointId
})

const AGENT = '/agents/support-desk'

/** The sum of layout shifts from which on readers notice them is 0.1. */
const SHIFT_MAX = 0.05

/** Paths below the organisation's URL, each with a text that appears once the page is loaded. */
const PAGES = [
  ['', 'Agents that changed'],
  ['/agents', 'Procurement'],
  ['/agents/new', 'Score visibility'],
  [AGENT, 'Score components'],
  ['/decisions', 'Refunds are for people'],
  ['/approvals', 'Approval queue'],
  [`${AGENT}/sessions`, 'Newest first'],
  [`${AGENT}/checkpoints`, 'Flagged only'],
  [`${AGENT}/checkpoints/:checkpoint`, 'Verify in this browser'],
  [`${AGENT}/traces`, 'Card check'],
  [`${AGENT}/violations`, 'Counts against the score'],
  [`${AGENT}/drift`, 'Drift alerts'],
  [`${AGENT}/card`, 'Version 2'],
  [`${AGENT}/simulator`, 'Days elapsed'],
  [`${AGENT}/connections`, 'No connections yet'],
  [`${AGENT}/tools`, 'Tools'],
  ['/agents/night-watch/control', 'It rang at three in the morning.'],
  ['/settings/members', 'No pending invitations'],
  ['/settings/api-keys', 'Last used'],
  ['/settings/sso', 'Test provider'],
  ['/settings/plan', 'Usage this month'],
  ['/settings/audit-log', 'Agent registered'],
  ['/settings/approval-channels', 'E-mail to'],
  ['/settings/retention', '25 months'],
  ['/settings/organisation', 'Require second factor'],
] as const

const ACCOUNT_PAGES = [
  ['/sign-in', 'Sign in'],
  ['/sign-in/sso?code=none', 'Back to sign in'],
  ['/sign-up', 'Create account'],
  ['/password-reset', 'Send reset email'],
  ['/password-reset#token=tsp_1', 'Set password'],
  ['/invitation', 'You have been invited'],
] as const

describe('the console', () => {
  it('shows every page without errors in every theme and width', async () => {
    const { page, ...watched } = await openPage(browser, console.service.url, 'light')
    await signIn(page, console.first)
    for (const [path, sign] of PAGES) {
      const address = path.replace(':checkpoint', checkpointId)
      await page.goto(`/o/${console.first.org_id}${address}`)
      await page.getByText(sign).first().waitFor()
      await waitUntilLoaded(page)
      await watched.assertCleanInEveryLook((look) => shoot(page, `console${path}`, look))
    }
  })

  it('moves nothing that is visible while a page loads', async () => {
    for (const look of ['light', 'phone'] as const) {
      const { page } = await openPage(browser, console.service.url, look)
      await signIn(page, console.first)
      for (const [path, sign] of PAGES) {
        const address = `/o/${console.first.org_id}${path.replace(':checkpoint', checkpointId)}`
        const { sum, moved } = await shiftOf(page, address, async () => {
          await page.getByText(sign).first().waitFor()
          await waitUntilLoaded(page)
        })
        expect(sum, `${path}, ${look}: ${moved.join(' | ')}`).toBeLessThanOrEqual(SHIFT_MAX)
      }
    }
  })

  it('shows a decision, checks its receipt, and approves the call', async () => {
    const { page, assertClean, assertCleanInEveryLook } = await openPage(
      browser,
      console.service.url,
      'light',
    )
    await signIn(page, console.first)
    await page.getByRole('link', { name: 'Decisions' }).click()
    await page.getByRole('group', { name: 'Decisions' }).getByText('Escalated').click()
    await page.waitForURL(/decision=/)
    await page.getByRole('link', { name: 'refund', exact: true }).first().click()
    await page.getByRole('link', { name: 'Open page' }).click()
    await page.getByRole('heading', { level: 1, name: 'Decision Escalated' }).waitFor()
    await page.getByRole('button', { name: 'Check receipt' }).click()
    await page.locator('[data-verdict="holds"]').waitFor({ timeout: 60_000 })
    await waitUntilLoaded(page)
    await assertCleanInEveryLook((look) => shoot(page, 'decision', look))

    await page.getByRole('link', { name: 'Approvals' }).click()
    await page.getByRole('link', { name: /^Review Procurement/ }).click()
    await page.getByLabel('Note').fill('The parcel never arrived.')
    await assertCleanInEveryLook((look) => shoot(page, 'approval', look))
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByText('Call approved').waitFor()
    await page.getByRole('heading', { level: 1, name: 'Approval Approved' }).waitFor()
    await page.getByText('The parcel never arrived.').waitFor()
    await assertClean()
  })

  it('offers the last page if the page number is past the end', async () => {
    const { page, assertClean } = await openPage(browser, console.service.url, 'light')
    await signIn(page, console.first)
    await page.goto(`/o/${console.first.org_id}${AGENT}/checkpoints?page=9`)
    await page.getByText('This page is empty').waitFor()
    expect(await page.getByText('No checkpoints').count()).toBe(0)
    await page.getByRole('button', { name: 'Go to last page' }).click()
    await page.getByText('41–55 of 55').waitFor()
    await assertClean()
  })

  it('acknowledges a drift alert, and creates, rotates and revokes an API key', async () => {
    const { page, assertClean } = await openPage(browser, console.service.url, 'light')
    await signIn(page, console.first)
    await page.goto(`/o/${console.first.org_id}${AGENT}/drift`)
    await page.getByRole('button', { name: 'Acknowledge', exact: true }).first().click()
    await page.getByText('Alert acknowledged').waitFor()

    await page.getByRole('link', { name: 'Settings' }).click()
    await page.getByRole('link', { name: 'API keys' }).click()
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('Night shift')
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click()
    const first = await readNewKey(page)
    const row = page.getByRole('row', { name: /Night shift/ })
    await row.getByRole('button', { name: 'Rotate' }).first().click()
    const second = await readNewKey(page)
    expect(second).not.toBe(first)
    expect((await listAgents(second)).status).toBe(200)
    for (let left = await row.count(); left > 0; left = await row.count()) {
      await row.getByRole('button', { name: 'Revoke' }).first().click()
      await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
      await expect.poll(() => row.count()).toBeLessThan(left)
    }
    expect((await listAgents(second)).status).toBe(401)
    await assertClean()
  })

  it('shows the account pages without errors in every theme and width', async () => {
    for (const [path, sign] of ACCOUNT_PAGES) {
      const { page, ...watched } = await openPage(browser, console.service.url, 'light')
      await page.goto(path)
      await page.getByText(sign).first().waitFor()
      // The service rejects the invalid code, and the browser logs that as an error.
      if (!path.includes('code=')) {
        await watched.assertCleanInEveryLook((look) => shoot(page, path, look))
      }
      await page.context().close()
    }
  })
})

const listAgents = (token: string) => console.service.call('GET', '/v1/agents', { token })

/** Reads the key from the dialog that shows it once, and closes the dialog. */
async function readNewKey(page: Page): Promise<string> {
  const dialog = page.getByRole('dialog', { name: 'Copy your API key' })
  await dialog.waitFor()
  const key = await dialog.locator('code, pre').first().textContent()
  await dialog.getByRole('button', { name: 'Done' }).click()
  return key?.trim() ?? ''
}
