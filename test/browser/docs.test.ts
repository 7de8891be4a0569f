import type { Browser, Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { sharedChromium } from '#harness/chromium.ts'
import { type Console, startConsole, waitUntilLoaded } from '#harness/console.ts'
import { openPage, shoot } from '#harness/page-check.ts'

let browser: Browser
let console: Console

beforeAll(async () => {
  browser = await sharedChromium()
  console = await startConsole()
})

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name })
const search = (page: Page) => page.getByRole('searchbox', { name: 'Search the documentation' })

/** Pages with every kind of block: tables, lists, code, quotes. */
const PAGES = [
  ['/docs', 'Documentation', 'contents'],
  ['/docs/guide/run', 'Running Touchstone', 'guide'],
  ['/docs/glossary', 'Glossary', 'glossary'],
  ['/docs/spec/decisions', 'Decisions', 'spec'],
  ['/docs/concepts/proofs', 'Proofs', 'concept'],
  ['/docs/reference', 'API reference', 'reference'],
  ['/docs/reference/gateway', 'Gateway', 'tag'],
  ['/docs/guide/nothing', 'Document not found', 'not-found'],
] as const

describe('the documentation', () => {
  it.each(PAGES)('shows %s in every theme and width', async (path, title, name) => {
    const { page, assertCleanInEveryLook } = await openPage(browser, console.service.url, 'light')
    await page.goto(path)
    await heading(page, title).waitFor()
    await waitUntilLoaded(page)
    await assertCleanInEveryLook((look) => shoot(page, `docs-${name}`, look))
  })

  it('is searched in this browser, also while the service is away', async () => {
    const { page, assertClean } = await openPage(browser, console.service.url, 'light')
    await page.goto('/docs')
    await search(page).fill('rate limit')
    await page.getByRole('list', { name: 'Results' }).getByRole('link').first().waitFor()
    await page.context().setOffline(true)
    await search(page).fill('refresh token')
    const found = page.getByRole('list', { name: 'Results' }).getByRole('link')
    await found.filter({ hasText: 'Signing in' }).first().waitFor()
    await search(page).fill('decideToolCall nothing')
    await page.getByText('Nothing found.', { exact: false }).waitFor()
    await page.context().setOffline(false)
    await search(page).fill('/v1/gateway/decide')
    await assertClean()
    await found
      .filter({ hasText: /^POST \/v1\/gateway\/decide[^-/]*$/ })
      .first()
      .click()
    await page.waitForURL('**/docs/reference/gateway#decideToolCall')
    await page.getByText('Decide whether an agent may call a tool now').waitFor()
  })

  it('says that its search could not be loaded', async () => {
    const { page } = await openPage(browser, console.service.url, 'light')
    await page.route('**/assets/search-index-*.js', (route) => route.abort())
    await page.goto('/docs')
    await search(page).fill('rate limit')
    await page.getByText('The search could not be loaded.', { exact: false }).waitFor()
  })

  it('follows links between documents to the section', async () => {
    const { page, assertClean } = await openPage(browser, console.service.url, 'light')
    await page.goto('/docs/guide/sign-in')
    await page.getByRole('link', { name: 'configure e-mail' }).click()
    await page.waitForURL('**/docs/guide/run#e-mail')
    const section = page.getByRole('heading', { name: 'E-mail', exact: true })
    await expect.poll(async () => (await section.boundingBox())?.y).toBeLessThan(900)
    await page.goBack()
    await heading(page, 'Signing in').waitFor()
    await assertClean()
  })

  it('opens the fields of a schema that contains others', async () => {
    const { page, assertClean } = await openPage(browser, console.service.url, 'light')
    await page.goto('/docs/reference/gateway')
    const operation = page.locator('#decideToolCall')
    await operation.getByText('agent_id').first().waitFor()
    await operation.getByText('Fields').first().click()
    await operation.locator('details[open]').first().waitFor()
    await operation.getByText(`curl -s '${console.service.url}/v1/gateway/decide'`).waitFor()
    await assertClean()
  })
})
