import type { Browser, Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { sharedChromium } from '#harness/chromium.ts'
import { openPage, shoot } from '#harness/page-check.ts'
import { answerWith, type Receiver, startReceiver } from '#harness/receiver.ts'
import { fillSignIn, type GovernedOrg, signIn, startGovernedOrg } from './governance.fixture.ts'

/** Long, because the machine may be busy. */
const LONG_TIMEOUT = { timeout: 60_000 }

let browser: Browser
let org: GovernedOrg
let receiver: Receiver

beforeAll(async () => {
  browser = await sharedChromium()
  org = await startGovernedOrg()
  receiver = await startReceiver(answerWith(204))
})

async function open() {
  const opened = await openPage(browser, org.service.url, 'light')
  await signIn(opened.page, org)
  return opened
}

const heading = (page: Page, name: string | RegExp) =>
  page.getByRole('heading', { level: 1, name }).waitFor()

/** Waits until no part of the page is loading. */
async function untilLoaded(page: Page): Promise<void> {
  await expect.poll(() => page.getByText('Loading…').count(), LONG_TIMEOUT).toBe(0)
}

describe('an escalation', () => {
  it('opens from the link in messages once its reader has signed in', async () => {
    const { page, assertClean } = await openPage(browser, org.service.url, 'light')
    const { escalations } = await org.call('GET', '/v1/escalations')
    const { escalation_id: escalationId, approve_url: link } = escalations[0]
    const { pathname } = new URL(link)
    expect(pathname).toBe(`/approvals/${escalationId}`)
    await page.goto(pathname)
    await fillSignIn(page, org)
    await page.waitForURL(`**/o/${org.orgId}/approvals/${escalationId}`)
    await page.getByText('Mail is read by people').first().waitFor()
    await assertClean()
  })

  it('is rejected with a reason', async () => {
    const { page, assertClean } = await open()
    await page.getByRole('link', { name: 'Approvals' }).click()
    await page.getByRole('link', { name: /^Review/ }).click()
    await page.getByLabel('Note').fill('Nobody asked for it.')
    await page.getByRole('button', { name: 'Reject' }).click()
    await page.getByText('Call rejected').waitFor()
    await page.getByRole('link', { name: 'All approvals' }).click()
    await page.getByText('No pending approvals').waitFor()
    await page.getByText('Rejected', { exact: true }).click()
    await page.getByRole('link', { name: /^View/ }).click()
    await page.getByText('Nobody asked for it.', { exact: false }).waitFor()
    await assertClean()
  })
})

describe('a policy with rules over a session', () => {
  it('shows its limits, flows and loops, and what a looser limit may allow', async () => {
    const reason = 'Few at a time'
    await org.call('PUT', '/v1/agents/desk-c/policy', {
      meta: { schema_version: '1.1', name: 'Archive desk', scope: 'agent' },
      limits: [{ name: 'few', tools: ['mcp__files__*'], max: 2, per: 'minute', reason }],
      flows: [
        {
          name: 'leak',
          from: ['mcp__web__*'],
          to: ['mcp__mail__send'],
          reason: 'Nothing leaves',
          approval: { required: 2 },
        },
      ],
      defaults: { enforcement_mode: 'enforce', max_identical_calls: 4 },
    })
    const { page, assertClean } = await open()
    await page.goto(`/o/${org.orgId}/policies/agents/desk-c`)
    for (const shown of [
      'mcp__files__*: 2 per minute',
      'mcp__web__* → mcp__mail__send',
      'Needs 2 approvals: Nothing leaves',
      '4 identical calls',
    ]) {
      await page.getByText(shown, { exact: true }).waitFor()
    }
    await page.locator('.cm-line', { hasText: 'max: 2' }).click()
    await page.keyboard.press('End')
    await page.keyboard.press('Backspace')
    await page.keyboard.insertText('0')
    await page.getByText('limits.0.max').waitFor()
    await page.keyboard.press('Backspace')
    await page.keyboard.insertText('3')
    await page.getByRole('button', { name: 'Review changes' }).click()
    await page.getByText('May allow calls that are blocked today: limits.').waitFor()
    await shoot(page, 'policy-session-rules')
    await assertClean()
  })
})

describe('the policy editor', () => {
  it('offers the fields that can stand where one types', async () => {
    const { page, assertClean } = await open()
    await page.goto(`/o/${org.orgId}/policies/agents/desk-b`)
    await page.getByRole('textbox', { name: 'Policy (YAML)' }).click()
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.insertText('defaults:\n  ')
    await page.keyboard.type('enf')
    const options = page.locator('.cm-tooltip-autocomplete')
    await options.getByRole('option', { name: 'enforcement_mode' }).waitFor()
    await shoot(page, 'policy-completion')
    await assertClean()
  })
})

describe('a team', () => {
  it('shows fault lines, a forecast, and a recommended policy that opens in the editor', async () => {
    const { page, assertClean } = await open()
    await page.goto(`/o/${org.orgId}/teams/${org.teamId}`)
    await heading(page, 'Records office')
    await page.getByRole('button', { name: 'Analyse fault lines' }).click()
    const graph = page.getByRole('img', { name: /^Members and the values/ })
    await graph.locator('path').first().waitFor({ state: 'attached' })
    expect(await graph.locator('foreignObject').count()).toBeGreaterThan(3)
    await page.getByRole('button', { name: 'Forecast failures' }).click()
    await page.getByText('Overall risk').waitFor()
    await page.getByRole('button', { name: 'Recommend policy' }).click()
    await page.getByRole('button', { name: 'Open in editor' }).click()
    await heading(page, 'Policy for Records office')
    await page.getByText('scope: team').waitFor()
    await assertClean()
  })
})

describe('risk', () => {
  it('is assessed for an agent, with a receipt to download', async () => {
    const { page, assertClean } = await open()
    await page.getByRole('link', { name: 'Risk', exact: true }).click()
    await heading(page, 'Risk')
    await page.getByLabel('Agent', { exact: true }).selectOption({ label: 'Research desk' })
    await page.getByLabel('Action').selectOption({ label: 'Read data' })
    await page.getByRole('button', { name: 'Assess risk' }).click()
    await heading(page, 'Risk assessment')
    const button = page.getByRole('button', { name: 'Download receipt' })
    await button.waitFor({ timeout: 90_000 })
    const downloading = page.waitForEvent('download')
    await button.click()
    const file = await (await downloading).createReadStream()
    let text = ''
    for await (const chunk of file) text += String(chunk)
    const { program_id, formula, journal, proof, proof_sha256 } = JSON.parse(text)
    const receipt = { program_id, formula, journal, proof, proof_sha256 }
    expect(await org.call('POST', '/v1/verify-proof', { receipt })).toMatchObject({ valid: true })
    await assertClean()
    await page.getByRole('link', { name: 'Verify in browser' }).click()
    await page.locator('[data-verdict="holds"]').waitFor({ timeout: 60_000 })
    await page.getByText('Receipt of proof', { exact: false }).waitFor()
    await assertClean()
  })

  it('is assessed for a team, by member', async () => {
    const { page, assertClean } = await open()
    await page.goto(`/o/${org.orgId}/risk?team=${org.teamId}`)
    await page.getByRole('button', { name: 'Assess team risk' }).click()
    await heading(page, 'Team risk assessment')
    await page.getByRole('heading', { name: 'Risk by member' }).waitFor()
    await shoot(page, 'risk-team')
    await assertClean()
  })
})

describe('a webhook', () => {
  it('endpoint is added with its secret, receives a test event, and is redelivered to', async () => {
    const { page, assertClean } = await open()
    await page.getByRole('link', { name: 'Webhooks' }).click()
    await heading(page, 'Webhooks')
    await page.getByRole('button', { name: 'Add endpoint' }).click()
    await page.getByLabel('URL').fill(receiver.url)
    await page.getByLabel('Description').fill('The incident desk')
    await page.getByRole('dialog').getByRole('button', { name: 'Add endpoint' }).click()
    await page.getByText(/^whsec_/).waitFor()
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('link', { name: receiver.url }).click()
    await page.getByRole('button', { name: 'Send test event' }).click()
    await page.getByText('Delivered: HTTP 204', { exact: false }).waitFor()
    expect(JSON.parse(receiver.received[0]?.body ?? '{}')).toMatchObject({ type: 'webhook.test' })
    await page.getByRole('link', { name: 'webhook.test' }).click()
    await heading(page, 'webhook.test')
    await page.getByRole('button', { name: 'Redeliver' }).click()
    await expect.poll(() => receiver.received.length).toBe(2)
    await assertClean()

    await page.goto(`/o/${org.orgId}/webhooks/${await firstEndpoint()}`)
    await page.getByRole('button', { name: 'Replay' }).click()
    await page.getByLabel('Since').fill('2026-01-01T00:00')
    await page.getByRole('dialog').getByRole('button', { name: 'Replay' }).click()
    await page.getByText('Replay started').waitFor()
    await assertClean()
  })
})

describe('the on-chain page', () => {
  it('publishes a score', async () => {
    const { page, assertClean } = await open()
    await page.getByRole('link', { name: 'On-chain' }).click()
    await heading(page, 'On-chain')
    await page.getByLabel('Agent', { exact: true }).selectOption({ label: 'Research desk' })
    await page.getByRole('button', { name: 'Publish score' }).click()
    await page.getByText('Published in block', { exact: false }).waitFor({ timeout: 60_000 })
    await page.getByRole('region', { name: 'Publications' }).waitFor()
    await assertClean()
  })
})

describe('the governance pages', () => {
  it('show without errors in every theme and width', async () => {
    const { page, assertCleanInEveryLook } = await open()
    const endpointId = await firstEndpoint()
    const deliveryId = await firstDelivery()
    const pages = [
      { name: 'policies', path: '/policies', title: 'Policies' },
      { name: 'policy-org', path: '/policies/org', title: 'Organisation policy' },
      { name: 'policy-agent', path: '/policies/agents/desk-a', title: /^Policy for/ },
      { name: 'decisions', path: '/decisions', title: 'Decisions' },
      { name: 'approvals', path: '/approvals', title: 'Approvals' },
      { name: 'teams', path: '/teams', title: 'Teams' },
      { name: 'team', path: `/teams/${org.teamId}`, title: 'Records office' },
      { name: 'risk', path: '/risk', title: 'Risk' },
      { name: 'assessment', path: `/risk/${org.assessmentId}`, title: 'Risk assessment' },
      { name: 'webhooks', path: '/webhooks', title: 'Webhooks' },
      { name: 'endpoint', path: `/webhooks/${endpointId}`, title: 'Endpoint' },
      { name: 'delivery', path: `/webhooks/deliveries/${deliveryId}`, title: /^[a-z_]+\.[a-z_]+$/ },
      { name: 'log', path: '/public-log', title: 'Log' },
      { name: 'on-chain', path: '/on-chain', title: 'On-chain' },
    ]
    for (const { name, path, title } of pages) {
      await page.goto(`/o/${org.orgId}${path}`)
      await heading(page, title)
      await untilLoaded(page)
      await assertCleanInEveryLook((look) => shoot(page, `governance-${name}`, look))
    }
  })
})

async function firstEndpoint(): Promise<string> {
  const { webhooks } = await org.call('GET', `/v1/orgs/${org.orgId}/webhooks`)
  return webhooks[0].endpoint_id
}

async function firstDelivery(): Promise<string> {
  const { deliveries } = await org.call('GET', `/v1/orgs/${org.orgId}/webhooks/deliveries`)
  return deliveries[0].delivery_id
}
