import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { sharedChromium } from '#harness/chromium.ts'
import { readEnvironment, touchstone } from '#harness/connect-page.ts'
import { type Console, signIn, startConsole, waitUntilLoaded } from '#harness/console.ts'
import { openPage, shoot } from '#harness/page-check.ts'
import { temporaryDir } from '#harness/temporary-dir.ts'

const NO_SHELL = {
  meta: { schema_version: '1.0', name: 'No shell', scope: 'agent' },
  forbidden: [{ pattern: 'Bash', reason: 'No shell here', severity: 'high' }],
  defaults: { enforcement_mode: 'enforce', unmapped_tool_action: 'allow' },
}

let browser: Browser
let console: Console

beforeAll(async () => {
  browser = await sharedChromium()
  console = await startConsole()
})

const path = (rest = '') => `/o/${console.first.org_id}/connect${rest}`

describe('the page of a coding agent', () => {
  it('makes a key, with which its command connects the agent, and then turns green', async () => {
    const { page, assertCleanInEveryLook } = await openPage(browser, console.service.url, 'light')
    await signIn(page, console.first)
    await page.getByRole('link', { name: 'Connect', exact: true }).click()
    await page.getByRole('heading', { name: 'Coding agents' }).waitFor()
    await assertCleanInEveryLook((look) => shoot(page, 'connect', look))

    await page.getByRole('link', { name: 'Codex' }).click()
    await page.getByText('Waiting for the first decision').waitFor()
    await assertCleanInEveryLook((look) => shoot(page, 'connect-codex', look))
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByText('expires in a day').waitFor()

    const env = await readEnvironment(page)
    expect(env['TOUCHSTONE_URL']).toBe(console.service.url)
    const home = await temporaryDir()
    await touchstone('connect codex --agent desk-codex --yes', { ...env, HOME: home })
    await writeFile(join(home, 'policy.json'), JSON.stringify(NO_SHELL))
    const applied = { ...env, HOME: home }
    await touchstone(`policy apply ${join(home, 'policy.json')} --agent desk-codex`, applied)
    const output = await touchstone('connect test codex', applied)
    expect(output).toContain('A forbidden call of Bash was refused')
    await page.getByText('Connected').waitFor()
    await assertCleanInEveryLook((look) => shoot(page, 'connect-green', look))
    await page.getByRole('link', { name: 'View decision' }).click()
    await page.getByText('desk-codex').first().waitFor()
  })
})

describe('a page that does not exist', () => {
  it('says so and leads back to all pages', async () => {
    const { page, assertClean } = await openPage(browser, console.service.url, 'light')
    await signIn(page, console.first)
    for (const name of ['README', '__proto__', '..%2FREADME', 'no-such-page']) {
      await page.goto(path(`/${name}`))
      await page.getByText('Page not found').waitFor()
    }
    await waitUntilLoaded(page)
    await assertClean()
    await page.getByRole('link', { name: 'View all pages' }).click()
    await page.getByRole('heading', { name: 'Coding agents' }).waitFor()
  })
})
