import { hostname } from 'node:os'
import type { Browser, Locator, Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { sharedChromium } from '#harness/chromium.ts'
import { type ConnectedAgent, codingAgent } from '#harness/coding-agent.ts'
import { readCommand, readEnvironment, touchstone } from '#harness/connect-page.ts'
import { type Console, must, signIn, startConsole, waitUntilLoaded } from '#harness/console.ts'
import { eventually } from '#harness/eventually.ts'
import { type Look, openPage, shoot, tabTo } from '#harness/page-check.ts'
import { temporaryDir } from '#harness/temporary-dir.ts'

const AGENT = `codex-${hostname()}`
const DAY_MS = 24 * 3_600_000

let browser: Browser
let console: Console
let home: string
let agent: ConnectedAgent

beforeAll(async () => {
  browser = await sharedChromium()
  console = await startConsole()
  home = await temporaryDir()
  agent = codingAgent('codex', home)
})

async function open(look: Look, path = '', at?: Date) {
  const opened = await openPage(browser, console.service.url, look)
  if (at !== undefined) await opened.page.clock.setSystemTime(at)
  await signIn(opened.page, console.first)
  if (path !== '') await opened.page.goto(`/o/${console.first.org_id}${path}`)
  return opened
}

const heading = (page: Page, name: string | RegExp) =>
  page.getByRole('heading', { level: 1, name }).waitFor()

/** Follows a link or presses a button as a reader without a mouse does. */
async function activate(page: Page, element: Locator): Promise<void> {
  await tabTo(page, element)
  await page.keyboard.press('Enter')
}

type Call = Parameters<ConnectedAgent['make']>[0]

const REMOVE = { session: 'first-day', tool: 'Bash', arguments: { command: 'rm -rf /srv/orders' } }
const FETCH = { session: 'first-day', tool: 'WebFetch', arguments: { url: 'https://example.com/' } }
const READ = { session: 'first-day', tool: 'Read', arguments: { file_path: '/srv/orders/1.json' } }

const RULES = [
  'meta:',
  '  schema_version: "1.0"',
  '  name: First day',
  '  scope: agent',
  'forbidden:',
  '  - pattern: Bash',
  '    reason: No shell on this desk',
  '    severity: high',
  'escalation_triggers:',
  '  - condition: "tool == \'WebFetch\'"',
  '    action: escalate',
  '    reason: People look at addresses first',
  'defaults:',
  '  enforcement_mode: enforce',
  '  unmapped_tool_action: allow',
]

/** Goes to what the command palette finds first. */
async function goTo(page: Page, words: string): Promise<void> {
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: /^Search pages/ }).waitFor()
  await page.keyboard.type(words)
  const first = page.getByRole('option').first()
  await expect
    .poll(async () => (await first.textContent())?.toLowerCase())
    .toContain(words.toLowerCase())
  await page.keyboard.press('Enter')
}

/** Replaces the text of the policy editor, and leaves it as its description says: Escape, then Tab. */
async function writePolicy(page: Page, lines: readonly string[]): Promise<void> {
  await tabTo(page, page.getByRole('textbox', { name: 'Policy (YAML)' }))
  await page.keyboard.press('Control+a')
  await page.keyboard.insertText(lines.join('\n'))
  await page.getByText('Valid, and every rule has an effect').waitFor()
  // The first closes the completions, if they are open.
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  await activate(page, page.getByRole('button', { name: 'Review changes' }))
}

/** Waits until a saved policy decides. */
async function makeUntil(call: Call, ran: boolean): Promise<string> {
  let said = ''
  await eventually(async () => {
    const made = await agent.make(call)
    expect(made.ran).toBe(ran)
    said = made.said
  })
  return said
}

describe('the first days of an operator', () => {
  it('connect an agent with the command of its page, by the keyboard alone', async () => {
    const { page, assertClean } = await open('light')
    await activate(page, page.getByRole('link', { name: 'Connect', exact: true }))
    await heading(page, 'Connect')
    await activate(page, page.getByRole('link', { name: 'Codex' }))
    await activate(page, page.getByRole('button', { name: 'Create key' }))
    await page.getByText('expires in a day').waitFor()
    await page.getByText('Waiting for the first decision').waitFor()
    const env = { ...(await readEnvironment(page)), HOME: home }
    await touchstone(`${await readCommand(page, 'connect codex')} --yes`, env)
    expect(await agent.make(READ)).toEqual({ ran: true, said: '' })
    await page.getByText('Connected', { exact: true }).waitFor()
    await shoot(page, 'loop-connect')
    await assertClean()
    await activate(page, page.getByRole('link', { name: 'View decision' }))
    await heading(page, 'Decision Allowed')
    await page.getByRole('link', { name: AGENT }).first().waitFor()
  })

  it('see its dangerous call blocked, by the keyboard alone', async () => {
    const { page, assertClean } = await open('light')
    await heading(page, 'Default')
    await goTo(page, `policy of ${AGENT}`)
    await heading(page, `Policy for ${AGENT}`)
    await writePolicy(page, RULES)
    await activate(page, page.getByRole('button', { name: 'Save policy' }))
    await page.getByText('Saved as version 1.', { exact: false }).waitFor()
    await assertClean()
    expect(await makeUntil(REMOVE, false)).toContain('No shell on this desk')

    await goTo(page, 'overview')
    const activity = page.getByRole('region', { name: 'Live activity' }).getByRole('listitem')
    const blocked = activity.filter({ hasText: 'Blocked' }).filter({ hasText: 'Bash' }).first()
    expect(await blocked.getByText('Blocked').getAttribute('class')).toMatch(/\bbg-bad-wash\b/)
    await waitUntilLoaded(page)
    await shoot(page, 'loop-block')
    await assertClean()
  })

  it('approve a call on a phone, by the keyboard alone', async () => {
    const { page, assertClean } = await open('phone')
    expect((await agent.make(FETCH)).ran).toBe(false)
    await activate(page, page.getByRole('link', { name: 'Review WebFetch' }))
    await heading(page, /^Approval/)
    await page.getByText('https://example.com/').first().waitFor()
    await page.getByText('People look at addresses first').first().waitFor()
    await waitUntilLoaded(page)
    await shoot(page, 'loop-approve')
    await assertClean()
    await activate(page, page.getByRole('button', { name: 'Approve' }))
    await heading(page, 'Approval Approved')
    expect((await agent.make(FETCH)).ran).toBe(true)
    await assertClean()
  })

  it('find the call refused the day before by its tool, and check its receipt', async () => {
    const { page, assertClean } = await open('light', '/decisions', new Date(Date.now() + DAY_MS))
    const rows = page.getByRole('table', { name: 'Decisions, newest first' }).locator('tbody tr')
    await rows.first().waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('Bash')
    await expect.poll(() => rows.filter({ hasNotText: 'Bash' }).count()).toBe(0)
    await rows.first().getByText('yesterday').waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.press('j')
    await page.keyboard.press('Enter')
    const panel = page.getByRole('region', { name: /Bash/ })
    await panel.getByText('No shell on this desk').first().waitFor()
    await panel.getByText(/Agent policy, version 1, line \d+/).waitFor()
    await activate(page, panel.getByRole('button', { name: 'Check receipt' }))
    await page.locator('[data-verdict="holds"]').waitFor({ timeout: 60_000 })
    await waitUntilLoaded(page)
    await shoot(page, 'loop-find')
    await assertClean()
  })

  it('change the policy after its impact was shown', async () => {
    const { page, assertClean } = await open('light', `/policies/agents/${AGENT}`)
    await page.getByRole('heading', { name: 'Version 1', exact: true }).first().waitFor()
    await writePolicy(page, [
      ...RULES.slice(0, 8),
      '  - {pattern: Read, reason: Orders are private, severity: high}',
      ...RULES.slice(8),
    ])
    await page.getByText('Newly blocked, for example:').waitFor()
    await waitUntilLoaded(page)
    await shoot(page, 'loop-impact')
    await assertClean()
    await activate(page, page.getByRole('button', { name: 'Save as version 2' }))
    await page.getByText('Saved as version 2.', { exact: false }).waitFor()
    expect(await makeUntil(READ, false)).toContain('Orders are private')
    const { decisions } = await must(console, 'GET', '/v1/decisions?tool=Read&decision=block')
    expect(decisions.length).toBeGreaterThan(0)
  })
})
