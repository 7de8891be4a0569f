import type { Browser, Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { sharedChromium } from '#harness/chromium.ts'
import { type Console, must, signIn, startConsole, waitUntilLoaded } from '#harness/console.ts'
import { eventually } from '#harness/eventually.ts'
import { nextMailed } from '#harness/outbox.ts'
import { type Look, openPage, shoot, tabTo } from '#harness/page-check.ts'
import { startReceiver } from '#harness/receiver.ts'

const AGENT = 'accounts-desk'

let browser: Browser
let console: Console
let calls = 0

type Asked = { session_id?: string; arguments?: object; justification?: string }

/** A call that no other call shares its escalation with. Returns the id of its escalation. */
async function ask(call: Asked = {}): Promise<string> {
  calls += 1
  const { escalation_id: id } = await must(console, 'POST', '/v1/gateway/decide', {
    agent_id: AGENT,
    tool: 'pay',
    ...call,
    arguments: { call: calls, cents: 90_000, ...call.arguments },
  })
  return String(id)
}

beforeAll(async () => {
  browser = await sharedChromium()
  console = await startConsole({ ALLOW_LOOPBACK_EGRESS: 'true' })
  await must(console, 'POST', '/v1/agents', { agent_id: AGENT, name: 'Accounts desk' })
  await must(console, 'PUT', `/v1/agents/${AGENT}/policy`, {
    meta: { schema_version: '1.1', name: 'accounts', scope: 'agent' },
    escalation_triggers: [
      {
        condition: "tool == 'pay' and args.cents > 50000 and args.to.country != 'FI'",
        action: 'escalate',
        reason: 'Large payments abroad are for people',
        approval: { scopes: ['call', 'session'] },
      },
      {
        condition: "tool == 'pay' and args.cents > 50000",
        action: 'escalate',
        reason: 'Large payments are for people',
        approval: { scopes: ['call', 'session'] },
      },
    ],
    defaults: { enforcement_mode: 'enforce', unmapped_tool_action: 'allow' },
  })
  await eventually(async () => {
    const call = { agent_id: AGENT, tool: 'pay', arguments: { cents: 60_000 } }
    expect((await must(console, 'POST', '/v1/gateway/decide', call)).decision).toBe('escalate')
  })
})

const path = (rest: string) => `/o/${console.first.org_id}/approvals${rest}`

async function open(rest: string, look: Look = 'light') {
  const opened = await openPage(browser, console.service.url, look)
  await signIn(opened.page, console.first)
  await opened.page.goto(path(rest))
  return opened
}

const stateOf = async (id: string) => (await must(console, 'GET', `/v1/escalations/${id}`)).status
const card = (page: Page, title: string) =>
  page
    .locator('section')
    .filter({ has: page.getByRole('heading', { level: 2, name: title, exact: true }) })

describe('the page of an approval', () => {
  it('shows what the rule looked at, the agent’s claim, the session and earlier answers', async () => {
    const earlier = await ask({ session_id: 'earlier' })
    const { page, assertCleanInEveryLook } = await open(`/${earlier}`)
    await page.getByLabel('Note').fill('The supplier called.')
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByRole('heading', { level: 1, name: 'Approval Approved' }).waitFor()
    const used = await must(console, 'POST', '/v1/gateway/decide', {
      agent_id: AGENT,
      tool: 'pay',
      session_id: 'earlier',
      arguments: { call: calls, cents: 90_000 },
    })
    expect(used.decision).toBe('allow')
    await page.goto(`/o/${console.first.org_id}/decisions/${used.decision_id}`)
    await page.getByText(`Approved by ${console.first.email}`).first().waitFor()

    await must(console, 'POST', '/v1/gateway/decide', {
      agent_id: AGENT,
      tool: 'read_invoice',
      session_id: 'month-end',
    })
    const id = await ask({
      session_id: 'month-end',
      justification: 'Invoice R-88 is due today.',
      arguments: {
        cents: 125_000,
        to: { name: 'Nordic \u202eParts', country: 'SE', account: 'SE45 5000 0000 0583 9825 7466' },
        lines: [{ item: 'Bearings', pieces: 40 }, 'Freight\nby sea'],
      },
    })
    await page.goto(path(`/${id}`))
    const marked = card(page, 'Arguments')
      .getByRole('listitem')
      .filter({ has: page.getByText('Read by the rule') })
    await expect.poll(() => marked.count()).toBeGreaterThanOrEqual(2)
    const texts = await marked.allTextContents()
    expect(texts.some((text) => text.startsWith('cents125000'))).toBe(true)
    expect(texts.some((text) => text.startsWith('country“SE”'))).toBe(true)
    await page.getByText('Nordic \\u202eParts').waitFor()
    await page.getByText('The agent’s own words, which nobody checked').waitFor()
    await card(page, 'Session').getByText('read_invoice').waitFor()
    const before = card(page, 'Earlier answers').getByRole('listitem').first()
    await before.getByText('The supplier called.').waitFor()
    await before.getByText('by you').waitFor()
    await waitUntilLoaded(page)
    await assertCleanInEveryLook((look) => shoot(page, 'approval', look))
    await page.getByText('JSON', { exact: true }).click()
    await page.getByText('"country": "SE"').waitFor()
  })

  it('is answered on a phone with the keyboard alone, then leads to the next call', async () => {
    const [first, second] = [await ask({ session_id: 'a' }), await ask({ session_id: 'b' })]
    const { page, assertClean } = await open(`/${second}`, 'phone')
    const reject = page.getByRole('button', { name: 'Reject' })
    await reject.waitFor()
    const box = await reject.boundingBox()
    expect(box?.height).toBeGreaterThanOrEqual(44)
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(844)
    await assertClean()
    await tabTo(page, page.getByLabel('Note'))
    await page.keyboard.type('Not today.')
    await tabTo(page, reject)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Approval Rejected' }).waitFor()
    await assertClean()
    expect(await stateOf(second)).toBe('rejected')
    await page.getByRole('link', { name: 'Review next call' }).click()
    await page.getByRole('button', { name: 'Approve' }).waitFor()
    expect(await stateOf(first)).toBe('pending')
  })

  it('approves a session', async () => {
    const id = await ask({ session_id: 'long' })
    const { page, assertCleanInEveryLook } = await open(`/${id}`)
    await page.getByRole('group', { name: 'Approval covers' }).getByText('Session').click()
    await page.getByLabel('Minutes').fill('30')
    await assertCleanInEveryLook((look) => shoot(page, 'approval-session', look))
    await page.getByRole('button', { name: 'Approve session' }).click()
    await page.getByText('Every call of the tool in the session').waitFor()
    expect((await must(console, 'GET', `/v1/escalations/${id}`)).scope).toBe('session')
  })
})

describe('the links of messages', () => {
  it('lead from an e-mail, through the sign-in, to the call; and Slack has the same', async () => {
    const { service, first, dir } = console
    const slack = await startReceiver()
    const { email, password } = first
    const login = { body: { email, password } }
    const token = (await service.call('POST', '/v1/auth/login', login)).body.access_token
    const { user_id: userId } = (await service.call('GET', '/v1/auth/me', { token })).body
    const channels = { email: [userId], slack_webhook_url: slack.url, teams_webhook_url: null }
    const url = `/v1/orgs/${first.org_id}/approval-channels`
    expect((await service.call('PUT', url, { token, body: channels })).status).toBe(200)

    const id = await ask({ session_id: 'mailed' })
    const link = await nextMailed(dir, email, new RegExp(`http\\S+/approvals/${id}`))
    await expect.poll(() => slack.received.some(({ body }) => body.includes(link))).toBe(true)

    const { page, assertClean } = await openPage(browser, new URL(link).origin, 'phone')
    await page.goto(link)
    await page.getByLabel('Email').fill(email)
    await page.getByLabel('Password').fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { level: 1, name: /^Approval/ }).waitFor()
    expect(new URL(page.url()).pathname).toBe(path(`/${id}`))
    await page.getByRole('button', { name: 'Approve' }).waitFor()
    await assertClean()
    expect(await stateOf(id)).toBe('pending')
  })
})

describe('the approval queue', () => {
  it('rejects several calls with one note, and none that was not selected', async () => {
    const ids = [await ask(), await ask(), await ask()]
    const { page, assertCleanInEveryLook } = await open('')
    await page.getByRole('button', { name: 'Select all' }).click()
    const boxes = page.getByRole('checkbox', { name: /^Select Accounts desk/ })
    // Newest first.
    await boxes.first().uncheck()
    await assertCleanInEveryLook((look) => shoot(page, 'approvals', look))
    await page.getByRole('button', { name: 'Reject selected' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Note').fill('Asked twice.')
    await assertCleanInEveryLook((look) => shoot(page, 'approvals-reject', look))
    await dialog.getByRole('button', { name: 'Reject', exact: true }).click()
    await page.getByText(/^\d+ rejected$/).waitFor()
    await expect.poll(() => boxes.count()).toBe(1)
    expect(await Promise.all(ids.map(stateOf))).toEqual(['rejected', 'rejected', 'pending'])
    const { note } = await must(console, 'GET', `/v1/escalations/${ids[0]}`)
    expect(note).toBe('Asked twice.')
  })
})

describe('announcements', () => {
  it('are off at first, and show a call that arrives once they are on', async () => {
    const { page } = await open('')
    await page.evaluate(RECORD_NOTIFICATIONS)
    await page.getByRole('button', { name: 'Notifications' }).click()
    expect(await page.getByLabel('Sound').isChecked()).toBe(false)
    const desktop = page.getByLabel('Desktop notification')
    expect(await desktop.isChecked()).toBe(false)
    await desktop.click()
    await expect.poll(() => desktop.isChecked()).toBe(true)
    expect(await page.evaluate('window.announced.length')).toBe(1)
    await page.keyboard.press('Escape')
    await ask({ session_id: 'announced' })
    await expect
      .poll(() => page.evaluate('window.announced'))
      .toContain('Approval needed: accounts-desk wants to call pay')
    const announced = await page.evaluate('window.announced.length')
    await page.getByRole('link', { name: 'Your account' }).click()
    await page.getByRole('heading', { level: 1, name: 'Account security' }).waitFor()
    await page.goBack()
    await page.getByRole('button', { name: 'Notifications' }).waitFor()
    expect(await page.evaluate('window.announced.length')).toBe(announced)
  })
})

/** Headless Chromium refuses notifications, so the test stands in for the reader and the desktop. */
const RECORD_NOTIFICATIONS = `
  window.announced = []
  window.Notification = class {
    static permission = 'default'
    static async requestPermission() { return (this.permission = 'granted') }
    constructor(title, { body }) { window.announced.push(title + ': ' + body) }
  }`
