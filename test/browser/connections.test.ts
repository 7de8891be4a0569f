import type { Browser, Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { textOf } from '#harness/checkpoints.ts'
import { sharedChromium } from '#harness/chromium.ts'
import { type Console, must, signIn, startConsole, waitUntilLoaded } from '#harness/console.ts'
import { type PlannedProvider, startPlannedProvider } from '#harness/mock-provider.ts'
import { openPage, shoot } from '#harness/page-check.ts'

let browser: Browser
let console: Console
let provider: PlannedProvider

beforeAll(async () => {
  browser = await sharedChromium()
  provider = await startPlannedProvider()
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

/** A turn of the model, through a connection. */
function ask({ base_url }: { base_url: string }) {
  const path = `${new URL(base_url).pathname}/v1/messages`
  const messages = [{ role: 'user', content: 'Hi' }]
  const body = { model: 'mock-large', max_tokens: 99, messages }
  return console.service.call('POST', path, { body })
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
    provider.plan({ parts: [{ text: 'Done.' }, { tool: 'search', input: {} }] })
    expect((await ask(made)).status).toBe(200)
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

describe('a turn with a forbidden call', () => {
  it('appears within a second: the decision with its outcome, and the observed checkpoint', async () => {
    await must(console, 'POST', '/v1/agents', { agent_id: 'desk', name: 'Desk' })
    await must(console, 'PUT', '/v1/agents/desk/policy', {
      meta: { schema_version: '1.1', name: 'Desk', scope: 'agent' },
      forbidden: [{ pattern: 'shell_*', reason: 'No shell', severity: 'critical' }],
      defaults: { enforcement_mode: 'enforce', unmapped_tool_action: 'allow' },
    })
    const made = await must(console, 'POST', '/v1/agents/desk/connections', {
      provider: 'anthropic',
    })
    const organisation = `/o/${console.first.org_id}`
    const opened = await openPage(browser, console.service.url, 'light')
    await signIn(opened.page, console.first)
    const context = opened.page.context()
    const [overview, decisions, checkpoints] = [
      opened.page,
      await context.newPage(),
      await context.newPage(),
    ]
    const origin = console.service.url
    await overview.goto(organisation)
    await decisions.goto(`${origin}${organisation}/decisions?agent_id=desk`)
    await checkpoints.goto(`${origin}${organisation}/agents/desk/checkpoints`)
    await overview.getByRole('heading', { level: 1 }).waitFor()
    await decisions.getByText('Live updates').waitFor()
    await checkpoints.getByText(/No checkpoints/).waitFor()

    // Nothing is reloaded.
    const shown = (tool: string, nth: number) => {
      const row = decisions.getByRole('row', { name: new RegExp(tool) })
      return Promise.all([
        row.getByText('Stopped').waitFor(),
        row.getByText('No shell').waitFor(),
        checkpoints.getByRole('row').getByText('Observed').nth(nth).waitFor(),
        overview.getByText(tool).first().waitFor(),
      ])
    }
    const elapsedMs: number[] = []
    for (const [nth, tool] of ['shell_run', 'shell_list', 'shell_copy'].entries()) {
      const parts = [{ thinking: textOf(nth) }, { tool, input: { command: 'ls' } }]
      provider.plan({ parts })
      const answered = await ask(made)
      expect(answered.body).toMatchObject({ stop_reason: 'end_turn' })
      expect(JSON.stringify(answered.body)).toContain(`Touchstone blocked ${tool}: No shell`)
      const answeredMs = performance.now()
      await shown(tool, nth)
      elapsedMs.push(performance.now() - answeredMs)
    }
    // The fastest of them, because other tests may keep the machine busy.
    expect(Math.min(...elapsedMs)).toBeLessThan(1000)
    await shoot(decisions, 'model-turn-decision', 'light')
    await shoot(checkpoints, 'model-turn-checkpoint', 'light')
  })
})
