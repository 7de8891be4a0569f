import type { Browser, Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { sharedChromium } from '#harness/chromium.ts'
import { type Console, signIn, startConsole } from '#harness/console.ts'
import { openPage } from '#harness/page-check.ts'

const OTHER = { email: 'grace@example.org', password: 'a long and quiet evening' }

let browser: Browser
let console: Console

beforeAll(async () => {
  browser = await sharedChromium()
  console = await startConsole({ SIGNUP_MODE: 'open' })
  const body = { ...OTHER, name: 'Grace' }
  expect((await console.service.call('POST', '/v1/auth/signup', { body })).status).toBe(201)
})

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name })
const signInPage = (page: Page) => page.waitForURL('**/sign-in?next=*')

async function newTab(page: Page, path: string): Promise<Page> {
  const tab = await page.context().newPage()
  await tab.goto(path)
  return tab
}

describe('a session', () => {
  it('is that of every tab, keeps its token from scripts, and ends in all of them', async () => {
    const { page, assertClean } = await openPage(browser, console.service.url, 'light')
    await signIn(page, console.first)
    const path = `/o/${console.first.org_id}/agents`
    const tab = await newTab(page, path)
    await heading(tab, 'Agents').waitFor()
    await tab.reload()
    await heading(tab, 'Agents').waitFor()

    const kept = await tab.evaluate(
      '[document.cookie, JSON.stringify({ ...localStorage }), JSON.stringify({ ...sessionStorage })]',
    )
    expect(JSON.stringify(kept)).not.toMatch(/ts[rb]_|eyJ/)
    const [cookie] = await page.context().cookies()
    expect(cookie).toMatchObject({
      name: `touchstone-session-${new URL(console.service.url).port}`,
      value: expect.stringMatching(/^tsb_/),
      httpOnly: true,
      sameSite: 'Strict',
    })
    await assertClean()

    await tab.getByRole('button', { name: 'Sign out' }).click()
    await signInPage(page)
    await tab.getByRole('link', { name: 'Sign in', exact: true }).waitFor()
    expect(await page.context().cookies()).toEqual([])
    await tab.goto(path)
    await signInPage(tab)
  })

  it('of somebody else replaces it in all tabs', async () => {
    const { page } = await openPage(browser, console.service.url, 'light')
    await signIn(page, console.first)
    const tab = await newTab(page, '/sign-in')
    await tab.getByLabel('Email').fill(OTHER.email)
    await tab.getByLabel('Password').fill(OTHER.password)
    await tab.getByRole('button', { name: 'Sign in' }).click()
    await tab.waitForURL('**/o/new')
    // Grace is no member of the organisation that the first tab showed.
    await page.getByText('No such organisation.').waitFor()
  })

  it('stays if the service cannot be reached', async () => {
    const { page } = await openPage(browser, console.service.url, 'light')
    await signIn(page, console.first)
    await heading(page, 'Default').waitFor()
    const path = '**/v1/auth/browser-session'
    await page.route(path, (route) => route.abort())
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByText('The service cannot be reached.', { exact: false }).waitFor()
    await page.unroute(path)
    await page.reload()
    await page.getByRole('button', { name: 'Sign out' }).waitFor()
  })

  it('is not asked for by visitors who never signed in', async () => {
    const { page } = await openPage(browser, console.service.url, 'light')
    const asked: string[] = []
    page.on('request', (req) => asked.push(new URL(req.url()).pathname))
    await page.goto('/directory')
    await heading(page, 'Directory').waitFor()
    expect(asked.filter((path) => path.startsWith('/v1/auth'))).toEqual([])
  })
})
