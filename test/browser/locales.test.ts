import type { Browser, Page } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { sharedChromium } from '#harness/chromium.ts'
import { type Console, must, signIn, startConsole, waitUntilLoaded } from '#harness/console.ts'
import { openPage, shoot } from '#harness/page-check.ts'

const AGENT = 'ferry-desk'

let browser: Browser
let console: Console
let decidedAt: string
let decisionId: string

beforeAll(async () => {
  browser = await sharedChromium()
  console = await startConsole()
  await must(console, 'POST', '/v1/agents', { agent_id: AGENT, name: 'Ferry desk' })
  const call = { agent_id: AGENT, tool: 'book_ferry', session_id: 'crossing' }
  decisionId = (await must(console, 'POST', '/v1/gateway/decide', call)).decision_id
  decidedAt = (await must(console, 'GET', `/v1/decisions/${decisionId}`)).decided_at
})

/** Each has its own order, words, digits or hours. */
const READERS = [
  ['en-US', 'America/Los_Angeles'],
  ['en-GB', 'Europe/London'],
  ['de-DE', 'Europe/Berlin'],
  ['ja-JP', 'Asia/Tokyo'],
  ['ar-EG', 'Africa/Cairo'],
] as const

/** Formats in the browser, because the Unicode data of Node may be of another release. */
function written(
  page: Page,
  locale: string,
  options: Intl.DateTimeFormatOptions,
  at = decidedAt,
): Promise<string> {
  const given = [locale, options].map((one) => JSON.stringify(one)).join(', ')
  return page.evaluate(`new Intl.DateTimeFormat(${given}).format(new Date('${at}'))`)
}

const factOf = (page: Page, name: string) =>
  page.locator('dt', { hasText: name }).first().locator('+ dd').textContent()

describe('dates', () => {
  it.each(READERS)('are written as in %s, in the time zone %s', async (locale, timezoneId) => {
    const { page, assertClean } = await openPage(browser, console.service.url, 'light', {
      locale,
      timezoneId,
    })
    await signIn(page, console.first)
    await page.goto(`/o/${console.first.org_id}/decisions/${decisionId}`)
    await page.getByRole('heading', { level: 1, name: /^Decision/ }).waitFor()
    await waitUntilLoaded(page)
    const timeZone = timezoneId
    const full = { dateStyle: 'medium', timeStyle: 'short', timeZone } as const
    expect(await factOf(page, 'Decided')).toBe(await written(page, locale, full))
    await shoot(page, `decision-${locale}`)
    await assertClean()

    await page.goto(`/o/${console.first.org_id}?range=7d`)
    await page.getByText('Compared with the previous 7 days').waitFor()
    await waitUntilLoaded(page)
    const bars = page.getByRole('figure', { name: 'Decisions by outcome' }).getByRole('slider')
    const day = { month: 'short', day: 'numeric', timeZone } as const
    // The last bar, which is read first, is the one with the decision; it has begun up to three hours before.
    const begun = new Date(Date.parse(decidedAt) - 3 * 3_600_000).toISOString()
    const days = [await written(page, locale, day), await written(page, locale, day, begun)]
    const text = (await bars.getAttribute('aria-valuetext')) ?? ''
    expect(
      days.filter((one) => text.includes(one)),
      text,
    ).not.toEqual([])
    await shoot(page, `overview-${locale}`)
    await assertClean()
  })
})
