import type { Browser, Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { CARD, textOf, VIOLATION } from '#harness/checkpoints.ts'
import { sharedChromium } from '#harness/chromium.ts'
import { type Console, must, signIn, startConsole } from '#harness/console.ts'
import { openPage, shoot } from '#harness/page-check.ts'
import { startTcpProxy } from '#harness/tcp-proxy.ts'

let browser: Browser
let console: Console

beforeAll(async () => {
  browser = await sharedChromium()
  console = await startConsole()
  await must(console, 'POST', '/v1/agents', { agent_id: 'night-desk', card: CARD })
})

/** Sends a checkpoint like the command on the page, with the key that the page shows. */
async function sendAs(key: string, thinking: string): Promise<void> {
  const sent = await console.service.call('POST', '/v1/agents/parcel-desk/checkpoints', {
    token: key,
    body: { thinking, session_id: 'first-session' },
  })
  expect(sent.status).toBe(201)
}

const TRACE = {
  agent_id: 'parcel-desk',
  action: { type: 'recommend', name: 'search', category: 'bounded' },
  decision: {
    selected: 'a',
    selection_reasoning: 'It fits best.',
    values_applied: ['transparency'],
  },
  escalation: { evaluated: true, required: false, reason: 'nothing due' },
  tools: ['mcp__files__read'],
}

describe('from the first sign-in to a verified checkpoint', () => {
  it('needs neither a reload nor another tool', async () => {
    const { page, assertClean } = await openPage(browser, console.service.url, 'light')
    await signIn(page, console.first)
    const key = await register(page)
    await seeFirstCheckpoint(page, key)
    await reclassify(page, key)
    await assertClean()

    await must(console, 'POST', '/v1/traces', TRACE)
    await page.getByRole('link', { name: 'Policies' }).click()
    await page.getByRole('link', { name: 'Parcel desk' }).click()
    await page.getByRole('heading', { level: 1, name: 'Policy for Parcel desk' }).waitFor()
    await draftPolicy(page)
    await assertClean()
    await savePolicy(page)
    await assertClean()

    await approveEscalation(page)
    await assertClean()
    await verifyCheckpoint(page)
    await assertClean()
  })

  it('pauses, resumes, kills and reactivates an agent', async () => {
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

    await page.getByRole('button', { name: 'Kill' }).click()
    await page.getByLabel('Reason').fill('It is replaced.')
    await page.getByRole('dialog').getByRole('button', { name: 'Kill' }).click()
    await page.getByRole('button', { name: 'Reactivate' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Reactivate' }).click()
    await page.getByRole('button', { name: 'Pause' }).waitFor()
    await page.getByText('It is replaced.').waitFor()
    await assertClean()
  })

  it('resumes the live stream after a lost connection, and shows the missed events', async () => {
    const proxy = await startTcpProxy(console.service.url)
    const { page } = await openPage(browser, proxy.url, 'light')
    const resumedFrom: string[] = []
    page.on('request', (req) => {
      const id = req.headers()['last-event-id']
      if (id !== undefined) resumedFrom.push(id)
    })
    const send = (number: number) =>
      must(console, 'POST', '/v1/agents/night-desk/checkpoints', { thinking: textOf(number) })
    const events = page
      .getByRole('region', { name: 'Live activity' })
      .getByRole('listitem')
      .filter({ hasText: 'checkpoint' })
    await signIn(page, console.first)
    await page.getByText('Live', { exact: true }).waitFor()
    await send(3)
    await events.first().waitFor()
    proxy.disconnect()
    await page.getByText('Reconnecting…').waitFor()
    await send(4)
    proxy.reconnect()
    await events.nth(1).waitFor()
    await page.getByText('Live', { exact: true }).waitFor()
    expect(resumedFrom.length).toBeGreaterThan(0)
  })

  it('edits the card, shows its errors and shows the changes between versions', async () => {
    const { page, assertClean } = await openPage(browser, console.service.url, 'light')
    await signIn(page, console.first)
    await page.goto(`/o/${console.first.org_id}/agents/night-desk/card`)
    const editor = page.getByRole('textbox', { name: 'Alignment card (YAML)' })
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
    await page.getByRole('button', { name: 'Show changes' }).first().click()
    await page.getByText('expires_at').last().waitFor()
    await assertClean()
  })
})

async function register(page: Page): Promise<string> {
  await page.getByRole('link', { name: 'Agents', exact: true }).click()
  await page.getByRole('link', { name: 'Register agent' }).click()
  await page.getByLabel('Name', { exact: true }).fill('Parcel desk')
  await page.getByLabel('Agent ID').fill('parcel-desk')
  await page.getByRole('button', { name: 'Register' }).click()
  await page.getByRole('heading', { name: 'Parcel desk is registered' }).waitFor()
  const lines = await page.getByText('curl -sS').textContent()
  return /Bearer (\S+)'/.exec(lines ?? '')?.[1] ?? ''
}

async function seeFirstCheckpoint(page: Page, key: string): Promise<void> {
  await page.getByText('Live', { exact: true }).waitFor()
  await page.getByText('Waiting for the first checkpoint').waitFor()
  await sendAs(key, textOf(1))
  await page.getByText('Checkpoint received').waitFor()
  await page.getByRole('link', { name: 'View checkpoint' }).click()
  const rows = page.getByRole('table', { name: 'Checkpoints' }).getByRole('row')
  await rows.nth(1).waitFor()
}

async function reclassify(page: Page, key: string): Promise<void> {
  await page.getByRole('link', { name: 'Violations' }).click()
  await page.getByText('No violations', { exact: true }).waitFor()
  await must(console, 'PUT', '/v1/agents/parcel-desk/card', CARD)
  await sendAs(key, textOf(2, VIOLATION))
  await must(console, 'PATCH', '/v1/agents/parcel-desk/card', {
    card_json: { autonomy_envelope: { forbidden_actions: ['share_credentials'] } },
  })
  await page.getByRole('button', { name: 'Reclassify' }).click()
  await page.getByRole('dialog').getByRole('option').nth(1).waitFor({ state: 'attached' })
  await page.getByLabel('Card amendment').selectOption({ index: 1 })
  await page.getByLabel('Reason').fill('The export to our own archive is what it is for.')
  await shoot(page, 'journey-reclassify')
  await page.getByRole('dialog').getByRole('button', { name: 'Reclassify' }).click()
  await page.getByText('Reclassified as a card gap; ').waitFor()
  await page.getByText('Does not count').waitFor()
  await page.getByText('Card loosened within 24 hours').waitFor()
  await shoot(page, 'journey-violations')

  await page.getByText('Comment', { exact: true }).first().click()
  await page.getByPlaceholder('Comments cannot be deleted').fill('Agreed with the data officer.')
  await page.getByRole('button', { name: 'Comment' }).click()
  await page.getByText('Agreed with the data officer.').waitFor()
}

/** Moves the cursor to the end of the first line with this text, or `before` characters left of it. */
async function goTo(page: Page, line: string, before = 0): Promise<void> {
  await page.locator('.cm-line', { hasText: line }).first().click()
  await page.keyboard.press('End')
  for (let step = 0; step < before; step += 1) await page.keyboard.press('ArrowLeft')
}

/** The editor reports errors first; once the draft is valid, its impact on past calls. */
async function draftPolicy(page: Page): Promise<void> {
  await goTo(page, 'escalation_triggers: []', 1)
  const trigger = `condition: "tool == 'mcp__mail__send'", reason: Mail is read by people`
  await page.keyboard.insertText(`{${trigger}, action: escalated}`)
  await page.getByText('escalation_triggers.0.action').waitFor()
  expect(await page.getByRole('button', { name: 'Review changes' }).isDisabled()).toBe(true)
  await shoot(page, 'journey-policy-error')
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('Backspace')

  await goTo(page, 'severity: critical')
  const forbidden = ['  - pattern: "mcp__files__*"', 'reason: No files', 'severity: high']
  await page.keyboard.insertText(`\n${forbidden.join('\n    ')}`)
  // The editor renders only the lines near the visible ones, so scroll to the end first.
  await page.keyboard.press('Control+End')
  await goTo(page, 'enforcement_mode: warn')
  for (const _ of 'warn') await page.keyboard.press('Backspace')
  await page.keyboard.insertText('enforce')
  await page.getByText('Valid, and every rule has an effect').waitFor()

  await page.getByLabel('Tools').fill('mcp__files__read')
  await page.getByRole('button', { name: 'Test', exact: true }).click()
  await page.getByText('No files', { exact: false }).last().waitFor()

  await page.getByRole('button', { name: 'Review changes' }).click()
  await page.getByText('Newly blocked, for example:').waitFor()
  await page.getByText('1 newly failing').first().waitFor()
  await shoot(page, 'journey-policy-review')
}

/** Saves two versions, because the history compares them. */
async function savePolicy(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Save policy' }).click()
  await page.getByText('Saved as version 1.', { exact: false }).waitFor()
  await page.getByRole('heading', { name: 'Version 1', exact: true }).waitFor()
  await goTo(page, 'reason: No files')
  await page.keyboard.insertText(' of ours')
  await page.getByRole('button', { name: 'Review changes' }).click()
  await page.getByRole('button', { name: 'Save as version 2' }).click()
  await page.getByText('Saved as version 2.', { exact: false }).waitFor()
  await page.getByRole('button', { name: 'Show changes' }).first().click()
  await page.getByText('No files of ours', { exact: false }).last().waitFor()
  await shoot(page, 'journey-policy-history')
}

async function approveEscalation(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Approvals' }).click()
  await page.getByText('No pending approvals').waitFor()
  const call = { agent_id: 'parcel-desk', tool: 'mcp__mail__send' }
  const escalated = await must(console, 'POST', '/v1/gateway/decide', call)
  expect(escalated.decision).toBe('escalate')
  await page.getByText('mcp__mail__send', { exact: true }).waitFor()
  await shoot(page, 'journey-escalations-waiting')
  await page.getByRole('link', { name: /^Review/ }).click()
  await page.getByLabel('Note').fill('The customer asked for it.')
  await page.getByRole('button', { name: 'Approve' }).click()
  await page.getByText('Call approved').waitFor()
  const approved = { ...call, escalation_id: escalated.escalation_id }
  // The tool is unmapped, so the approved call is allowed with a warning.
  expect((await must(console, 'POST', '/v1/gateway/decide', approved)).decision).toBe('warn')
  await page.getByText('The customer asked for it.', { exact: false }).waitFor()
}

async function verifyCheckpoint(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Agents', exact: true }).click()
  await page.getByRole('link', { name: 'Parcel desk', exact: true }).click()
  await page.getByRole('link', { name: 'Violations' }).click()
  await page.getByRole('listitem').getByRole('link', { name: 'Did what the card forbids' }).click()
  await page.getByRole('button', { name: 'Verify in this browser' }).click()
  await page.locator('[data-verdict="holds"]').waitFor()
  const states = await page
    .locator('[data-step]')
    .evaluateAll((steps) => steps.map((step) => step.getAttribute('data-state')))
  expect(new Set(states)).toEqual(new Set(['passed']))
}
