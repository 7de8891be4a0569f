import type { Browser } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { atEnd } from '#harness/at-end.ts'
import { CARD, textOf, VIOLATION } from '#harness/checkpoints.ts'
import { launchChromium } from '#harness/chromium.ts'
import { type Console, must, signIn, startConsole } from '#harness/console.ts'
import { openPage } from '#harness/page-check.ts'

let browser: Browser
let console: Console

beforeAll(async () => {
  browser = await launchChromium()
  atEnd(() => browser.close())
  console = await startConsole()
  await must(console, 'POST', '/v1/agents', { agent_id: 'night-desk', card: CARD })
})

/** As the pasted lines would, with the key that the page shows. */
async function sendAs(key: string, thinking: string): Promise<void> {
  const sent = await console.service.call('POST', '/v1/agents/parcel-desk/checkpoints', {
    token: key,
    body: { thinking, session_id: 'first-session' },
  })
  expect(sent.status).toBe(201)
}

describe('from the first sign-in to a verified decision', () => {
  it('needs neither a reload nor another tool', async () => {
    const { page, assertClean } = await openPage(browser, console.service.url, 'light')
    await signIn(page, console.first)
    await page.getByRole('link', { name: 'Agents', exact: true }).click()
    await page.getByRole('link', { name: 'Register an agent' }).click()

    await page.getByLabel('Name', { exact: true }).fill('Parcel desk')
    await page.getByLabel('Id', { exact: true }).fill('parcel-desk')
    await page.getByRole('button', { name: 'Register' }).click()
    await page.getByRole('heading', { name: 'Parcel desk is registered' }).waitFor()
    const lines = await page.getByText('curl -sS').textContent()
    const key = /Bearer (\S+)'/.exec(lines ?? '')?.[1] ?? ''
    await page.getByText('Live', { exact: true }).waitFor()

    await page.getByText('Waiting for it').waitFor()
    await sendAs(key, textOf(1))
    await page.getByText('It has arrived').waitFor()
    await page.getByRole('link', { name: 'Look at it' }).click()
    const rows = page.getByRole('table', { name: 'Checkpoints' }).getByRole('row')
    await rows.nth(1).waitFor()

    await page.getByRole('link', { name: 'Violations' }).click()
    await page.getByText('No violation', { exact: true }).waitFor()
    await must(console, 'PUT', '/v1/agents/parcel-desk/card', CARD)
    await sendAs(key, textOf(2, VIOLATION))
    await page.getByRole('button', { name: 'Reclassify' }).click()
    await page.getByRole('dialog').getByRole('option').nth(1).waitFor({ state: 'attached' })
    await page.getByLabel('Change of the card').selectOption({ index: 1 })
    await page.getByLabel('Reason').fill('The export to our own archive is what it is for.')
    await page.getByRole('dialog').getByRole('button', { name: 'Reclassify' }).click()
    await page.getByText('It is a gap of the card now').waitFor()
    await page.getByText('does not count').waitFor()

    await page.getByText('Comment', { exact: true }).first().click()
    await page.getByPlaceholder('Stays on the record').fill('Agreed with the data officer.')
    await page.getByRole('button', { name: 'Comment' }).click()
    await page.getByText('Agreed with the data officer.').waitFor()

    await page.getByRole('link', { name: 'Forbidden action' }).click()
    await page.getByRole('button', { name: 'Check it in this browser' }).click()
    const steps = page.getByRole('list', { name: 'Result of the check' }).getByRole('listitem')
    await steps.first().waitFor()
    for (const step of await steps.all()) expect(await step.textContent()).toMatch(/holds$/)
    await assertClean()
  })

  it('stops an agent at once, and lets it go on', async () => {
    const { page, assertClean } = await openPage(browser, console.service.url, 'light')
    await signIn(page, console.first)
    await page.goto(`/o/${console.first.org_id}/agents/night-desk/control`)
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByLabel('Reason').fill('A look at its exports first.')
    await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click()
    await page.getByRole('button', { name: 'Resume' }).waitFor()
    const call = { agent_id: 'night-desk', tool: 'search' }
    const refused = await console.service.call('POST', '/v1/gateway/decide', {
      token: console.first.api_key,
      body: call,
    })
    expect(refused.status).toBe(403)
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Resume' }).click()
    await page.getByRole('button', { name: 'Pause' }).waitFor()
    expect((await must(console, 'POST', '/v1/gateway/decide', call)).decision).toBe('allow')
    await assertClean()
  })

  it('edits the card with its faults beside the lines, and shows what changed', async () => {
    const { page, assertClean } = await openPage(browser, console.service.url, 'light')
    await signIn(page, console.first)
    await page.goto(`/o/${console.first.org_id}/agents/night-desk/card`)
    const editor = page.getByRole('textbox', { name: 'Alignment card, YAML' })
    await editor.click()
    await page.keyboard.press('ControlOrMeta+End')
    await page.keyboard.insertText('\nexpires_at: yesterday\n')
    await page.getByText('1 error', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Discard' }).click()
    await editor.click()
    await page.keyboard.press('ControlOrMeta+End')
    await page.keyboard.insertText('\nexpires_at: 2099-01-01T00:00:00Z\n')
    await page.getByText(/^Valid/).waitFor()
    await page.getByRole('button', { name: 'Save as new version' }).click()
    await page.getByText('Version 2', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'What changed' }).first().click()
    await page.getByText('expires_at').last().waitFor()
    await assertClean()
  })
})
