import type { Browser, Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { sharedChromium } from '#harness/chromium.ts'
import { type Console, must, signIn, startConsole, waitUntilLoaded } from '#harness/console.ts'
import { startPlannedProvider } from '#harness/mock-provider.ts'
import { openPage, shoot } from '#harness/page-check.ts'

let browser: Browser
let console: Console

beforeAll(async () => {
  browser = await sharedChromium()
  const provider = await startPlannedProvider()
  provider.plan({ parts: [{ text: 'Done.' }, { tool: 'search', input: {} }] })
  const upstreams = JSON.stringify({ anthropic: provider.url })
  console = await startConsole({ MODEL_GATEWAY_UPSTREAMS: upstreams })
  await must(console, 'POST', '/v1/agents', { agent_id: 'caller', name: 'Caller' })
})

/** The environment in the dialog that shows it once; closes the dialog. */
async function readEnvironment(page: Page): Promise<string> {
  const dialog = page.getByRole('dialog', { name: 'Copy the environment' })
  await dialog.waitFor()
  const text = await dialog.locator('pre').textContent()
  await dialog.getByRole('button', { name: 'Done' }).click()
  return text ?? ''
}

describe('the connections of an agent', () => {
  it('are created, rotated and revoked, and the token is shown once', async () => {
    const { page, assertCleanInEveryLook } = await openPage(browser, console.service.url, 'light')
    await signIn(page, console.first)
    await page.goto(`/o/${console.first.org_id}/agents/caller`)
    await page.getByRole('link', { name: 'Connections' }).click()
    await page.getByText('No connections yet').waitFor()
    await assertCleanInEveryLook((look) => shoot(page, 'connections-empty', look))

    await page.getByRole('button', { name: 'Create connection' }).click()
    const dialog = page.getByRole('dialog', { name: 'Create connection' })
    await dialog.getByLabel('Name').fill('Production')
    await dialog.getByLabel('Provider', { exact: true }).selectOption({ label: 'OpenAI' })
    await dialog.getByLabel('Provider key').fill('sk-live-0123456789')
    await assertCleanInEveryLook((look) => shoot(page, 'connections-create', look))
    await dialog.getByRole('button', { name: 'Create connection' }).click()
    await page.getByRole('dialog', { name: 'Copy the environment' }).waitFor()
    await assertCleanInEveryLook((look) => shoot(page, 'connections-environment', look))
    const first = await readEnvironment(page)
    expect(first).toMatch(/^export OPENAI_BASE_URL='http.*\/llm\/tgw_\w{38}\/openai\/v1'$/m)
    expect(first).not.toContain('sk-live')

    await waitUntilLoaded(page)
    const row = page.getByRole('row', { name: /Production/ })
    await row.getByText('Sealed').waitFor()
    await assertCleanInEveryLook((look) => shoot(page, 'connections', look))
    await row.getByRole('button', { name: 'Rotate' }).click()
    expect(await readEnvironment(page)).not.toBe(first)

    await row.getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await page.getByText('No connections yet').waitFor()
  })

  it('show when they were used, and the turns and tokens of each day', async () => {
    const path = '/v1/agents/caller/connections'
    const made = await must(console, 'POST', path, { provider: 'anthropic', name: 'Used' })
    const { pathname } = new URL(made.base_url)
    const body = {
      model: 'mock-large',
      max_tokens: 99,
      messages: [{ role: 'user', content: 'Hi' }],
    }
    const { status } = await console.service.call('POST', `${pathname}/v1/messages`, { body })
    expect(status).toBe(200)
    const { page, assertCleanInEveryLook } = await openPage(browser, console.service.url, 'light')
    await signIn(page, console.first)
    await page.goto(`/o/${console.first.org_id}/agents/caller/connections`)
    const day = page.getByRole('row', { name: /mock-large/ })
    await day.waitFor()
    expect(await day.textContent()).toMatch(
      /Turns1Input tokens120Cached40Output tokens36Tool calls1/,
    )
    await page.getByRole('row', { name: /Used/ }).locator('time').waitFor()
    await assertCleanInEveryLook((look) => shoot(page, 'connections-used', look))
  })

  it('says why a server was not accepted', async () => {
    const { page } = await openPage(browser, console.service.url, 'light')
    await signIn(page, console.first)
    await page.goto(`/o/${console.first.org_id}/agents/caller/connections`)
    await page.getByRole('button', { name: 'Create connection' }).click()
    const dialog = page.getByRole('dialog', { name: 'Create connection' })
    await dialog.getByLabel('Name').fill('Workstation')
    await dialog
      .getByLabel('Provider', { exact: true })
      .selectOption({ label: 'OpenAI-compatible server' })
    await dialog.getByLabel('Address of the server').fill('http://localhost:11434')
    await dialog.getByRole('button', { name: 'Create connection' }).click()
    await dialog.getByText('MODEL_GATEWAY_UPSTREAMS').waitFor()
  })
})
