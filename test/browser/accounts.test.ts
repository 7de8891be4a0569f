import type { Browser, Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { startCertifiedProvider } from '#harness/certified-oidc-provider.ts'
import { sharedChromium } from '#harness/chromium.ts'
import { type Console, signIn, startConsole } from '#harness/console.ts'
import { startSamlProvider } from '#harness/identity.ts'
import { mailed, nextMailed } from '#harness/outbox.ts'
import { openPage, shoot } from '#harness/page-check.ts'

const PASSWORD = 'a long and quiet evening'
const NEW_PASSWORD = 'a short and noisy morning'
const INVITED = 'grace@example.org'
const SSO_EMAIL = 'ada@example.com'

let browser: Browser
let console: Console

beforeAll(async () => {
  browser = await sharedChromium()
  console = await startConsole({ ALLOW_LOOPBACK_EGRESS: 'true' })
})

async function fillSignUp(page: Page, email: string): Promise<void> {
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Name').fill('Grace')
  await page.getByLabel('Password').fill(PASSWORD)
  await page.getByRole('button', { name: 'Create account' }).click()
}

/** Invites in the settings of the organisation that the page shows. Returns the mailed link. */
async function invite(page: Page): Promise<string> {
  const before = await mailed(console.dir, INVITED, /\btsi_[\w-]+/)
  await page.getByRole('link', { name: 'Settings' }).click()
  await page.getByLabel('Email').fill(INVITED)
  await page.getByRole('button', { name: 'Invite' }).click()
  const token = await nextMailed(console.dir, INVITED, /\btsi_[\w-]+/, before)
  return `${console.service.url}/invitation#token=${token}`
}

const mailedToken = (to: string) => nextMailed(console.dir, to, /\btsp_[\w-]+/)

describe('an account', () => {
  it('requires an invitation, and its password can be reset by mail', async () => {
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

    // A user with an account accepts another invitation and joins a second organisation.
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
  it('with SAML is configured in the settings, and signs users in', async () => {
    const provider = await startSamlProvider(SSO_EMAIL)
    const owner = await openPage(browser, console.service.url, 'light')
    await signIn(owner.page, console.first)
    await owner.page.goto(`/o/${console.first.org_id}/settings/sso`)
    await owner.page.getByLabel('Protocol').selectOption('SAML 2.0')
    await owner.page.getByLabel('Metadata URL').fill(`${provider.url}/metadata`)
    await owner.page.getByRole('button', { name: 'Test provider' }).click()
    await owner.page.getByText('The provider can be used').waitFor()
    await owner.page.getByLabel('Email domains').fill('example.com')
    await owner.page.getByRole('button', { name: 'Save' }).click()
    await owner.page.getByText('Single sign-on configured').waitFor()
    await owner.assertClean()

    const { page } = await openPage(browser, console.service.url, 'light')
    await continueWithSso(page, SSO_EMAIL)
    await page.waitForURL(`**/o/${console.first.org_id}`)
    await page.getByText(SSO_EMAIL).waitFor()
  })

  it('with OpenID Connect is configured in the settings, and gives the role of a group', async () => {
    const client = { id: 'touchstone', secret: 'a secret of the provider' }
    const provider = await startCertifiedProvider(client)
    const owner = await openPage(browser, console.service.url, 'light')
    await signIn(owner.page, console.first)
    await owner.page.goto(`/o/${console.first.org_id}/settings/sso`)
    await owner.page.getByLabel('Protocol').selectOption('OpenID Connect')
    await owner.page.getByLabel('Issuer').fill(provider.issuer)
    await owner.page.getByRole('button', { name: 'Test provider' }).click()
    await owner.page.getByText('The provider can be used').waitFor()
    await owner.page.getByLabel('Client ID').fill(client.id)
    await owner.page.getByLabel('Client secret').fill(client.secret)
    await owner.page.getByLabel('Scopes').fill('openid email profile groups')
    await owner.page.getByLabel('Email domains').fill('example.net')
    await owner.page.getByLabel('Roles by group').fill('it = admin')
    await owner.page.getByRole('button', { name: 'Save' }).click()
    await owner.page.getByText('Single sign-on configured').waitFor()
    await owner.page.getByText('Stored. Leave empty to keep it.').waitFor()
    provider.register((await owner.page.getByText('/callback').textContent()) ?? '')
    await owner.assertCleanInEveryLook((look) => shoot(owner.page, 'sso-settings', look))

    const { page } = await openPage(browser, console.service.url, 'light')
    await continueWithSso(page, 'ada@example.net')
    await page.locator('input[name=login]').fill('ada')
    await page.locator('input[name=password]').fill('any')
    await page.getByRole('button', { name: 'Sign-in' }).click()
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.waitForURL(`**/o/${console.first.org_id}`)
    await page.getByText('ada@example.net').waitFor()
    await owner.page.goto(`/o/${console.first.org_id}/settings/members`)
    const row = owner.page.getByRole('row', { name: 'ada@example.net' })
    expect(await row.getByRole('combobox').inputValue()).toBe('admin')
  })

  it('shows a page to people whose sign-in fails', async () => {
    const failed = await openPage(browser, console.service.url, 'light')
    const base = `/v1/auth/sso/${console.first.org_id}`
    // The browser reports every page with an error status on its console.
    const response = await failed.page.request.get(`${base}/callback?code=x&state=made-up`)
    expect(response.status()).toBe(403)
    await failed.page.setContent(await response.text())
    await failed.page.getByText('request_unknown').waitFor()
    await failed.page.getByRole('link', { name: 'Try again' }).waitFor()
    await failed.assertCleanInEveryLook((look) => shoot(failed.page, 'sso-failed', look))
  })
})

async function continueWithSso(page: Page, email: string): Promise<void> {
  await page.goto('/sign-in')
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').focus()
  await page.getByRole('button', { name: 'Continue with single sign-on' }).click()
}
