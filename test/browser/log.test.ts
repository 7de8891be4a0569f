import { readFile } from 'node:fs/promises'
import type { Browser } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { sharedChromium } from '#harness/chromium.ts'
import { openPage, shoot } from '#harness/page-check.ts'
import { type GovernedOrg, signIn, startGovernedOrg } from './governance.fixture.ts'

/** Long, because the machine may be busy. */
const LONG_TIMEOUT = { timeout: 60_000 }

let browser: Browser
let org: GovernedOrg

beforeAll(async () => {
  browser = await sharedChromium()
  org = await startGovernedOrg()
})

describe('the log in the dashboard', () => {
  it('shows its state, and gives an evidence pack as a file', async () => {
    const { page, assertCleanInEveryLook } = await openPage(browser, org.service.url, 'light')
    await signIn(page, org)
    await page.goto(`/o/${org.orgId}/public-log`)
    await page.getByText('No witnesses yet').waitFor()
    await page.getByRole('button', { name: 'Create pack' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('EU AI Act').uncheck()
    await shoot(page, 'log-dialog')
    await dialog.getByRole('button', { name: 'Create pack' }).click()
    await page.getByText('Ready', { exact: true }).waitFor(LONG_TIMEOUT)
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: /^Download the pack/ }).click()
    const file = await download
    expect(file.suggestedFilename()).toMatch(/^evidence-pack-.*\.zip$/)
    expect((await readFile(await file.path())).subarray(0, 2).toString()).toBe('PK')
    await assertCleanInEveryLook((look) => shoot(page, 'log', look))
  })

  it('is followed by the browser, which says since when the history is the same', async () => {
    const { page, assertCleanInEveryLook } = await openPage(browser, org.service.url, 'light')
    await page.goto('/verify')
    await page.getByText('First visit: this browser now remembers the log').waitFor()
    await page.reload()
    await page.getByText('Same history as on').waitFor()
    await assertCleanInEveryLook((look) => shoot(page, 'verify-history', look))
    // As if another history had been shown before.
    await page.evaluate(
      `localStorage.setItem('touchstone-log', localStorage.getItem('touchstone-log').replace(/\\\\n[0-9]+\\\\n/, '\\\\n1\\\\n'))`,
    )
    await page.reload()
    await page.getByText('The log could not be verified').waitFor()
  })

  it('is part of the verification of a decision', async () => {
    const { page } = await openPage(browser, org.service.url, 'light')
    await signIn(page, org)
    const { decisions } = await org.call('GET', '/v1/decisions')
    const decision = decisions.find((one: { log_index: number | null }) => one.log_index !== null)
    await page.goto(`/o/${org.orgId}/decisions/${decision.decision_id}`)
    await page.getByRole('button', { name: 'Check receipt' }).click()
    await page.getByText('The public log has the batch of this decision').waitFor()
    await page.getByText(`in the log at index ${decision.log_index}, not cosigned`).waitFor()
    await page.getByText('This decision receipt is valid').waitFor()
    await shoot(page, 'decision-log')
  })
})
