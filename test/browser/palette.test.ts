import type { Browser, Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { sharedChromium } from '#harness/chromium.ts'
import { type Console, must, seedConsole, signIn, startConsole } from '#harness/console.ts'
import { openPage, shoot } from '#harness/page-check.ts'

let browser: Browser
let console: Console

beforeAll(async () => {
  browser = await sharedChromium()
  console = await startConsole()
  await seedConsole(console)
})

const search = (page: Page) => page.getByRole('combobox', { name: /^Search pages/ })
const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name })

describe('the command palette', () => {
  it('finds pages, agents, policies, actions and decisions without a mouse', async () => {
    const { page, assertClean, assertCleanInEveryLook } = await openPage(
      browser,
      console.service.url,
      'light',
    )
    await signIn(page, console.first)
    await heading(page, 'Default').waitFor()
    await page.keyboard.press('Control+k')
    await search(page).waitFor()
    await page.getByRole('option', { name: 'Night watch', exact: true }).waitFor()
    await assertCleanInEveryLook((look) => shoot(page, 'palette-open', look))
    await page.keyboard.type('night')
    await page.keyboard.press('Enter')
    await heading(page, 'Night watch').waitFor()
    expect(await search(page).count()).toBe(0)

    await page.keyboard.press('Control+k')
    await page.keyboard.type('audit')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/settings/audit-log')

    await page.keyboard.press('Control+k')
    await page.keyboard.type('procurement')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/policies/agents/procurement')

    const { decisions } = await must(console, 'GET', '/v1/decisions?limit=1')
    await page.keyboard.press('Control+k')
    await page.keyboard.insertText(decisions[0].decision_id)
    await page.getByRole('option', { name: /^Open decision/ }).waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/decisions/${decisions[0].decision_id}`)

    await page.keyboard.press('Control+k')
    await page.keyboard.type('nothing has this name')
    await page.getByText('No results.', { exact: false }).waitFor()
    await page.keyboard.press('Escape')
    expect(await search(page).count()).toBe(0)

    await assertClean()
    await page.keyboard.press('Control+k')
    await page.keyboard.type('theme')
    await page.keyboard.press('Enter')
    await page.locator('html[data-theme="dark"]').waitFor()
  })

  it('lists the shortcuts, and turns off those of single letters', async () => {
    const { page, assertCleanInEveryLook } = await openPage(browser, console.service.url, 'light')
    await signIn(page, console.first)
    await heading(page, 'Default').waitFor()
    await page.keyboard.press('?')
    const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await dialog.getByText('Command palette').waitFor()
    await dialog.getByText('Next').waitFor()
    await assertCleanInEveryLook((look) => shoot(page, 'palette-shortcuts', look))
    await dialog.getByRole('checkbox').uncheck()
    expect(await dialog.getByText('Next').count()).toBe(0)
    await page.keyboard.press('Escape')
    await page.keyboard.press('?')
    expect(await dialog.count()).toBe(0)
    await page.keyboard.press('Control+k')
    await search(page).fill('shortcuts')
    await page.keyboard.press('Enter')
    await dialog.getByRole('checkbox').check()
    await dialog.getByText('Next').waitFor()
  })
})
