import type { Browser, Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { atEnd } from '#harness/at-end.ts'
import { launchChromium } from '#harness/chromium.ts'
import { type Console, seedConsole, settled, signIn, startConsole } from '#harness/console.ts'
import { type Look, openPage } from '#harness/page-check.ts'

let browser: Browser
let console: Console
let checkpointId: string

beforeAll(async () => {
  browser = await launchChromium()
  atEnd(() => browser.close())
  console = await startConsole()
  const seeded = await seedConsole(console)
  checkpointId = seeded.checkpointId
})

const AGENT = '/agents/support-desk'

/** Below the organisation's address, with something that is there once the page is. */
const PAGES = [
  ['', 'Score changes'],
  ['/agents', 'Procurement'],
  ['/agents/new', 'Score visibility'],
  [AGENT, 'Score components'],
  [`${AGENT}/checkpoints`, 'Flagged only'],
  [`${AGENT}/checkpoints/:checkpoint`, 'Verify in this browser'],
  [`${AGENT}/traces`, 'Card check'],
  [`${AGENT}/violations`, 'Counts against the score'],
  [`${AGENT}/drift`, 'Drift alerts'],
  [`${AGENT}/card`, 'Version 2'],
  [`${AGENT}/simulator`, 'Days elapsed'],
  ['/agents/night-watch/control', 'It rang at three in the morning.'],
  ['/settings/members', 'No pending invitations'],
  ['/settings/api-keys', 'Last used'],
  ['/settings/sso', 'Test metadata'],
  ['/settings/plan', 'Usage this month'],
  ['/settings/audit-log', 'agent.registered'],
  ['/settings/organisation', 'Current password'],
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
  it('shows every page without fault in every look', async () => {
    const { page, ...watched } = await openPage(browser, console.service.url, 'light')
    await signIn(page, console.first)
    for (const [path, sign] of PAGES) {
      const address = path.replace(':checkpoint', checkpointId)
      await page.goto(`/o/${console.first.org_id}${address}`)
      await page.getByText(sign).first().waitFor()
      await settled(page)
      await watched.assertCleanInEveryLook((look) => shoot(page, `console${path}`, look))
    }
  })

  it('does not say that nothing is there where only a page is past the end', async () => {
    const { page, assertClean } = await openPage(browser, console.service.url, 'light')
    await signIn(page, console.first)
    await page.goto(`/o/${console.first.org_id}${AGENT}/checkpoints?page=9`)
    await page.getByText('This page is empty').waitFor()
    expect(await page.getByText('No checkpoints').count()).toBe(0)
    await page.getByRole('button', { name: 'Go to last page' }).click()
    await page.getByText('41–55 of 55').waitFor()
    await assertClean()
  })

  it('acknowledges drift, and makes, rotates and revokes a key', async () => {
    const { page, assertClean } = await openPage(browser, console.service.url, 'light')
    await signIn(page, console.first)
    await page.goto(`/o/${console.first.org_id}${AGENT}/drift`)
    await page.getByRole('button', { name: 'Acknowledge' }).first().click()
    await page.getByText('Alert acknowledged').waitFor()

    await page.getByRole('link', { name: 'Settings' }).click()
    await page.getByRole('link', { name: 'API keys' }).click()
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('Night shift')
    await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click()
    const first = await shownKey(page)
    const row = page.getByRole('row', { name: /Night shift/ })
    await row.getByRole('button', { name: 'Rotate' }).first().click()
    const second = await shownKey(page)
    expect(second).not.toBe(first)
    expect((await asks(second)).status).toBe(200)
    for (let left = await row.count(); left > 0; left = await row.count()) {
      await row.getByRole('button', { name: 'Revoke' }).first().click()
      await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
      await expect.poll(() => row.count(), { timeout: 20_000 }).toBeLessThan(left)
    }
    expect((await asks(second)).status).toBe(401)
    await assertClean()
  })

  it('lets people in without fault in every look', async () => {
    for (const [path, sign] of ACCOUNT_PAGES) {
      const { page, ...watched } = await openPage(browser, console.service.url, 'light')
      await page.goto(path)
      await page.getByText(sign).first().waitFor()
      // A code that does not hold is refused, which the browser's console tells.
      if (!path.includes('code=')) {
        await watched.assertCleanInEveryLook((look) => shoot(page, path, look))
      }
      await page.context().close()
    }
  })
})

const asks = (token: string) => console.service.call('GET', '/v1/agents', { token })

/** Shown once, and then put away. */
async function shownKey(page: Page): Promise<string> {
  const dialog = page.getByRole('dialog', { name: 'Copy your API key' })
  await dialog.waitFor()
  const key = await dialog.locator('code, pre').first().textContent()
  await dialog.getByRole('button', { name: 'Done' }).click()
  return key?.trim() ?? ''
}

async function shoot(page: Page, path: string, look: Look) {
  if (process.env['SHOTS'] === undefined) return
  const name = `${path.replaceAll(/[^a-z-]+/g, '_')}-${look}.png`
  await page.screenshot({ path: `${process.env['SHOTS']}/${name}`, fullPage: true })
}
