import type { Browser, Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { codeOf } from '#harness/authenticator.ts'
import { sharedChromium } from '#harness/chromium.ts'
import { type Console, signIn, startConsole, waitUntilLoaded } from '#harness/console.ts'
import { nextMailed } from '#harness/outbox.ts'
import { openPage, shoot } from '#harness/page-check.ts'

let browser: Browser
let console: Console

beforeAll(async () => {
  browser = await sharedChromium()
  console = await startConsole()
})

const MEMBER = { email: 'member@example.org', password: 'a long and quiet evening' }

/** Invites a member and creates their account. */
async function addMember(): Promise<void> {
  const { service, first } = console
  const { email, password } = first
  const signedIn = await service.call('POST', '/v1/auth/login', { body: { email, password } })
  await service.call('POST', `/v1/orgs/${first.org_id}/invitations`, {
    token: signedIn.body.access_token,
    body: { email: MEMBER.email, role: 'member' },
  })
  const token = await nextMailed(console.dir, MEMBER.email, /\btsi_[\w-]+/)
  const body = { ...MEMBER, invitation_token: token }
  expect((await service.call('POST', '/v1/auth/signup', { body })).status).toBe(201)
}

async function fillPassword(
  page: Page,
  { email, password }: { email: string; password: string },
): Promise<void> {
  await page.goto('/sign-in')
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

describe('the second factor', () => {
  it('is set up with a QR code, asked for at sign-in, and required by an organisation', async () => {
    const { page, assertClean, assertCleanInEveryLook } = await openPage(
      browser,
      console.service.url,
      'light',
    )
    await addMember()
    const look = (name: string) => assertCleanInEveryLook((one) => shoot(page, name, one))
    await signIn(page, console.first)
    await page.goto(`/o/${console.first.org_id}/settings/organisation`)
    await page.getByText('set up your own second factor').click()
    await page.getByRole('heading', { name: 'Account security' }).waitFor()
    await page.getByText('This session').waitFor()
    await waitUntilLoaded(page)
    await look('account-security')

    await page.getByRole('button', { name: 'Set up second factor' }).click()
    await page.getByLabel('Current password').first().fill(console.first.password)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('img', { name: 'QR code for your authenticator app' }).waitFor()
    const secret = (await page.locator('pre').textContent()) ?? ''
    expect(secret).toMatch(/^[A-Z2-7]{32}$/)
    await look('second-factor-scan')
    await page.getByLabel('Code', { exact: true }).fill(codeOf(secret, new Date()))
    await page.getByRole('button', { name: 'Turn on' }).click()
    await page.getByText('I have saved them').waitFor()
    const codes = ((await page.locator('pre').textContent()) ?? '').split('\n')
    expect(codes).toHaveLength(10)
    await look('second-factor-codes')
    await page.getByRole('button', { name: 'I have saved them' }).click()
    await page.getByText('10 recovery codes left').waitFor()
    await look('second-factor-on')

    await page.goto(`/o/${console.first.org_id}/settings/organisation`)
    await page.getByRole('button', { name: 'Require second factor' }).click()
    await page.getByRole('button', { name: 'Make second factor optional' }).waitFor()
    await look('second-factor-required')

    const second = await openPage(browser, console.service.url, 'light')
    await fillPassword(second.page, console.first)
    await second.page.getByRole('heading', { name: 'Enter your code' }).waitFor()
    await second.assertCleanInEveryLook((one) => shoot(second.page, 'sign-in-code', one))
    await second.page.getByLabel('Code', { exact: true }).fill(codes[0] ?? '')
    await second.page.getByRole('button', { name: 'Continue' }).click()
    await second.page.waitForURL('**/o/**')

    // A member without a second factor sees how to set it up instead of the organisation.
    const member = await openPage(browser, console.service.url, 'light')
    await fillPassword(member.page, MEMBER)
    await member.page.getByRole('heading', { name: 'Second factor required' }).waitFor()
    await shoot(member.page, 'second-factor-gate', 'light')
    await member.page.getByRole('link', { name: 'Set up second factor' }).click()
    await member.page.getByText('requires a second factor. Set it up').waitFor()
    await member.page.getByText('This session').waitFor()
    await shoot(member.page, 'account-security-required', 'light')

    // Ending the other session signs its page out.
    await page.goto('/account/security')
    await page.getByRole('button', { name: /^End session of/ }).click()
    await page.getByText('Session ended').waitFor()
    await assertClean()
    await second.page.goto('/account/security')
    await second.page.waitForURL('**/sign-in**')
  })
})
