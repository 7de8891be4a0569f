import type { Browser, Locator, Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { sharedChromium } from '#harness/chromium.ts'
import { type Console, must, signIn, startConsole, waitUntilLoaded } from '#harness/console.ts'
import { eventually } from '#harness/eventually.ts'
import { openPage, shoot, tabTo, type WatchedPage } from '#harness/page-check.ts'

let browser: Browser
let console: Console

beforeAll(async () => {
  browser = await sharedChromium()
  console = await startConsole()
})

const heading = (page: Page, name: string | RegExp) =>
  page.getByRole('heading', { level: 1, name }).waitFor()

/** Follows a link or presses a button as a reader without a mouse does. */
async function activate(page: Page, element: Locator): Promise<void> {
  await tabTo(page, element)
  await page.keyboard.press('Enter')
}

/** Goes to what the command palette finds first. */
async function goTo(page: Page, words: string): Promise<void> {
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: /^Search pages/ }).waitFor()
  await page.keyboard.type(words)
  await page.getByRole('option').first().waitFor()
  await page.keyboard.press('Enter')
}

/** Requests a decision, as the connected program does. */
async function decide(key: string, call: object): Promise<{ decision: string }> {
  const answer = await console.service.call('POST', '/v1/gateway/decide', {
    token: key,
    body: { session_id: 'first-day', ...call },
  })
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(500)
  return answer.body
}

const RULES = [
  'meta:',
  '  schema_version: "1.0"',
  '  name: Harbour desk',
  '  scope: agent',
  '# Nothing is deleted by a program.',
  'forbidden:',
  '  - pattern: "drop_*"',
  '    reason: People delete tables',
  '    severity: high',
  'escalation_triggers:',
  '  - condition: "tool == \'send_invoice\'"',
  '    action: escalate',
  '    reason: People send invoices',
  'defaults:',
  '  enforcement_mode: enforce',
  '  unmapped_tool_action: allow',
]

/** Replaces the text of the policy editor, and leaves it again: Escape, then Tab. */
async function writePolicy(page: Page, lines: readonly string[]): Promise<void> {
  await tabTo(page, page.getByRole('textbox', { name: /policy/i }).first())
  await page.keyboard.press('Control+a')
  await page.keyboard.insertText(lines.join('\n'))
  await page.keyboard.press('Escape')
}

describe('the first day of an operator', () => {
  let key: string
  let agentId: string

  it('connects an agent, blocks a call, finds it and checks its receipt with the keyboard alone', async () => {
    const { page, assertClean } = await openPage(browser, console.service.url, 'light')
    await signIn(page, console.first)
    ;({ key, agentId } = await connect(page))
    await assertClean()
    await forbid({ page, assertClean })
    expect((await decide(key, { agent_id: agentId, tool: 'drop_table' })).decision).toBe('block')
    await findBlocked(page)
    await assertClean()
  })

  it('approves a call on a phone, with the keyboard alone', async () => {
    const { page, assertClean } = await openPage(browser, console.service.url, 'phone')
    await signIn(page, console.first)
    const call = {
      agent_id: agentId,
      tool: 'send_invoice',
      arguments: { invoice: 'H-204', to: 'Nordlicht' },
      justification: 'The order is complete.',
    }
    expect((await decide(key, call)).decision).toBe('escalate')
    await page.goto(`/o/${console.first.org_id}`)
    await activate(page, page.getByRole('link', { name: 'Review send_invoice' }))
    await heading(page, /^Approval/)
    await page.getByText('The order is complete.').waitFor()
    await shoot(page, 'loop-approve')
    await activate(page, page.getByRole('button', { name: 'Approve' }))
    await heading(page, 'Approval Approved')
    await assertClean()
    expect((await decide(key, call)).decision).toBe('allow')
  })

  it('changes the policy after its impact was shown', async () => {
    const { page, assertClean } = await openPage(browser, console.service.url, 'light')
    await signIn(page, console.first)
    await page.goto(`/o/${console.first.org_id}/policies/agents/${agentId}`)
    await page.getByText('# Nothing is deleted by a program.').waitFor()
    const rules = RULES.map((line) => line.replace('drop_*', '*_table'))
    await writePolicy(page, rules)
    await activate(page, page.getByRole('button', { name: 'Review changes' }))
    await page
      .getByText(/May allow calls that are blocked today|Newly blocked/)
      .first()
      .waitFor()
    await waitUntilLoaded(page)
    await shoot(page, 'loop-policy-impact')
    await assertClean()
    await activate(page, page.getByRole('button', { name: 'Save as version 2' }))
    await page.getByText('Saved as version 2.', { exact: false }).waitFor()
    await eventually(async () => {
      const call = { agent_id: agentId, tool: 'copy_table' }
      expect((await decide(key, call)).decision).toBe('block')
    })
  })
})

/** The page makes the key of a new agent, and turns green with its first call. */
async function connect(page: Page): Promise<{ key: string; agentId: string }> {
  await activate(page, page.getByRole('link', { name: 'Connect', exact: true }))
  await activate(page, page.getByRole('link', { name: 'LangChain', exact: false }).first())
  await page.getByText('Make a key first.').waitFor()
  await tabTo(page, page.getByLabel('Name'))
  await page.keyboard.type('Harbour desk')
  await page.keyboard.press('Enter')
  const lines = page.locator('pre', { hasText: /TOUCHSTONE_API_KEY='tsk_/ })
  const key = /TOUCHSTONE_API_KEY='(.*)'/.exec((await lines.textContent()) ?? '')?.[1] ?? ''
  await page.getByText('Waiting for the first decision').waitFor()
  const { agents } = await must(console, 'GET', '/v1/agents')
  const agentId = String(agents[0].agent_id)
  await decide(key, { agent_id: agentId, tool: 'read_orders' })
  await page.getByText('Connected').waitFor()
  await shoot(page, 'loop-connect')
  return { key, agentId }
}

async function forbid({ page, assertClean }: Pick<WatchedPage, 'page' | 'assertClean'>) {
  await goTo(page, 'policy of harbour')
  await heading(page, 'Policy for Harbour desk')
  await writePolicy(page, RULES)
  await page.getByText('Valid, and every rule has an effect').waitFor()
  await activate(page, page.getByRole('button', { name: 'Review changes' }))
  await activate(page, page.getByRole('button', { name: 'Save policy' }))
  await page.getByText('Saved as version 1.', { exact: false }).waitFor()
  await shoot(page, 'loop-block')
  await assertClean()
}

/** By the name of its tool, then its panel, the rule that decided, and the receipt. */
async function findBlocked(page: Page): Promise<void> {
  await goTo(page, 'decisions')
  await heading(page, 'Decisions')
  await page.getByRole('table', { name: 'Decisions, newest first' }).waitFor()
  await page.keyboard.press('/')
  await page.keyboard.type('drop_table')
  await expect.poll(() => page.getByRole('table').locator('tbody tr').count()).toBe(1)
  await page.keyboard.press('Tab')
  await page.keyboard.press('j')
  await page.keyboard.press('Enter')
  const panel = page.getByRole('region', { name: /drop_table/ })
  await panel.getByText('People delete tables').first().waitFor()
  await panel.getByText(/Agent policy, version 1, line \d+/).waitFor()
  await activate(page, panel.getByRole('button', { name: 'Check receipt' }))
  await page.locator('[data-verdict="holds"]').waitFor({ timeout: 60_000 })
  await waitUntilLoaded(page)
  await shoot(page, 'loop-find')
}
