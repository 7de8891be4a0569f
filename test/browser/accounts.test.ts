import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { atEnd } from '#harness/at-end.ts'
import { launchChromium } from '#harness/chromium.ts'
import { type Console, signIn, startConsole } from '#harness/console.ts'
import { eventually } from '#harness/eventually.ts'
import { startSamlProvider } from '#harness/identity.ts'
import { openPage } from '#harness/page-check.ts'

const PASSWORD = 'a long and quiet evening'
const NEW_PASSWORD = 'a short and noisy morning'
const INVITED = 'grace@example.org'
const SSO_EMAIL = 'ada@example.com'

let browser: Browser
let console: Console

beforeAll(async () => {
  browser = await launchChromium()
  atEnd(() => browser.close())
  console = await startConsole({ ALLOW_LOOPBACK_EGRESS: 'true' })
})

async function fillSignUp(page: Page, email: string): Promise<void> {
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Name').fill('Grace')
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Create account' }).click()
}

/** By the settings of whichever organisation the page shows; gives the link. */
async function invite(page: Page): Promise<string> {
  await page.getByRole('link', { name: 'Settings' }).click()
  await page.getByLabel('Email').fill(INVITED)
  await page.getByRole('button', { name: 'Invite' }).click()
  const shown = await page.getByText('/invitation#token=').first().textContent()
  return /https?:\S+/.exec(shown ?? '')?.[0] ?? ''
}

/** The token of the mail that was sent to somebody last. */
async function mailedToken(to: string): Promise<string> {
  let token = ''
  await eventually(async () => {
    const dir = join(console.dir, 'outbox')
    const files = (await readdir(dir)).filter((name) => name.endsWith('.eml')).sort()
    const mails = await Promise.all(files.map((name) => readFile(join(dir, name), 'utf8')))
    // Long lines are broken with a = at their end.
    const mail = mails.findLast((text) => text.includes(to))?.replaceAll(/=\r?\n/g, '') ?? ''
    token = /\b(tsp_[\w-]+)/.exec(mail)?.[1] ?? ''
    expect(token).not.toBe('')
  })
  return token
}

describe('an account', () => {
  it('is refused without an invitation, made with one, and gets a new password by mail', async () => {
    const owner = await openPage(browser, console.service.url, 'light')
    await signIn(owner.page, console.first)
    const first = await invite(owner.page)
    await owner.assertClean()

    const { page } = await openPage(browser, console.service.url, 'light')
    await page.goto('/sign-up')
    await fillSignUp(page, INVITED)
    await page.getByText('Sign-up requires an invitation.', { exact: false }).waitFor()

    await page.goto(first)
    await page.getByRole('link', { name: 'Create account' }).click()
    await fillSignUp(page, INVITED)
    await page.waitForURL(`**/o/${console.first.org_id}`)
    await page.getByRole('button', { name: 'Sign out' }).click()

    await page.goto('/sign-in')
    await page.getByRole('link', { name: 'Forgot password?' }).click()
    await page.getByLabel('Email').fill(INVITED)
    await page.getByRole('button', { name: 'Send reset email' }).click()
    await page.getByLabel('Token').fill(await mailedToken(INVITED))
    await page.getByLabel('New password').fill(NEW_PASSWORD)
    await page.getByRole('button', { name: 'Set password' }).click()
    await page.getByRole('heading', { name: 'Password updated' }).waitFor()
    await signIn(page, { ...console.first, email: INVITED, password: NEW_PASSWORD })

    // Somebody with an account accepts, and has a second organisation then.
    await owner.page.getByRole('button', { name: /^Organisation/ }).click()
    await owner.page.getByRole('link', { name: 'New organisation' }).click()
    await owner.page.getByLabel('Name', { exact: true }).fill('Second office')
    await owner.page.getByRole('button', { name: 'Create organisation' }).click()
    await owner.page.getByRole('heading', { level: 1, name: 'Second office' }).waitFor()
    await page.goto(await invite(owner.page))
    await page.getByRole('button', { name: 'Accept invitation' }).click()
    await page.getByText('You joined Second office as member').waitFor()
  })
})

describe('single sign-on', () => {
  it('is set up in the settings, and lets people in', async () => {
    const provider = await startSamlProvider(SSO_EMAIL)
    const owner = await openPage(browser, console.service.url, 'light')
    await signIn(owner.page, console.first)
    await owner.page.goto(`/o/${console.first.org_id}/settings/sso`)
    await owner.page.getByLabel('Metadata URL').fill(`${provider.url}/metadata`)
    await owner.page.getByRole('button', { name: 'Test metadata' }).click()
    await owner.page.getByText('Metadata is valid').waitFor()
    await owner.page.getByLabel('Email domains').fill('example.com')
    await owner.page.getByRole('button', { name: 'Save' }).click()
    await owner.page.getByText('Single sign-on configured').waitFor()
    await owner.assertClean()

    const { page } = await openPage(browser, console.service.url, 'light')
    await page.goto('/sign-in')
    await page.getByLabel('Email').fill(SSO_EMAIL)
    await page.getByLabel('Password').focus()
    await page.getByRole('button', { name: 'Continue with single sign-on' }).click()
    await page.waitForURL(`**/o/${console.first.org_id}`)
    await page.getByText(SSO_EMAIL).waitFor()
  })
})
