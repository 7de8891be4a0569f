import type { Browser } from 'playwright-core'
import { beforeAll, describe, it } from 'vitest'
import { atEnd } from '#harness/at-end.ts'
import { launchChromium } from '#harness/chromium.ts'
import { type Console, seedConsole, settled, signIn, startConsole } from '#harness/console.ts'
import { LOOKS, type Look, openPage } from '#harness/page-check.ts'

const looks = Object.keys(LOOKS) as Look[]

let browser: Browser
let console: Console
let checkpointId: string

beforeAll(async () => {
  browser = await launchChromium()
  atEnd(() => browser.close())
  console = await startConsole()
  const seeded = await seedConsole(console)
  checkpointId = seeded.checkpointId
})

const AGENT = '/agents/support-desk'

/** Below the organisation's address, with something that is there once the page is. */
const PAGES = [
  ['', 'Scores on the move'],
  ['/agents', 'Procurement'],
  ['/agents/new', 'Who may see its score'],
  [AGENT, 'What the score is made of'],
  [`${AGENT}/checkpoints`, 'What the analysis says'],
  [`${AGENT}/checkpoints/:checkpoint`, 'Check it in this browser'],
  [`${AGENT}/traces`, 'By its card'],
  [`${AGENT}/violations`, 'counts against the score'],
  [`${AGENT}/drift`, 'Drift alerts'],
  [`${AGENT}/card`, 'Version 2'],
  [`${AGENT}/simulator`, 'Days that pass'],
  ['/agents/night-watch/control', 'It rang at three in the morning.'],
  ['/settings/members', 'Nobody is invited'],
  ['/settings/api-keys', 'Last used'],
  ['/settings/sso', 'Test the metadata'],
  ['/settings/plan', 'Used this month'],
  ['/settings/audit-log', 'agent.registered'],
  ['/settings/organisation', 'Your password'],
] as const

const ACCOUNT_PAGES = [
  ['/sign-in', 'Sign in'],
  ['/sign-in/sso?code=none', 'Begin again'],
  ['/sign-up', 'Make an account'],
  ['/password-reset', 'Send the mail'],
  ['/password-reset#token=tsp_1', 'Set the password'],
  ['/invitation', 'You are invited'],
] as const

describe('the console', () => {
  it.each(looks)('shows every page without fault, %s', async (look) => {
    const { page, assertClean } = await openPage(browser, console.service.url, look)
    await signIn(page, console.first)
    for (const [path, sign] of PAGES) {
      const address = path.replace(':checkpoint', checkpointId)
      await page.goto(`/o/${console.first.org_id}${address}`)
      await page.getByText(sign).first().waitFor()
      await settled(page)
      await assertClean()
      await shoot(page, `console${path}`, look)
    }
  })

  it.each(looks)('lets people in without fault, %s', async (look) => {
    for (const [path, sign] of ACCOUNT_PAGES) {
      const { page, assertClean } = await openPage(browser, console.service.url, look)
      await page.goto(path)
      await page.getByText(sign).first().waitFor()
      // A code that does not hold is refused, which the browser's console tells.
      if (!path.includes('code=')) await assertClean()
      await shoot(page, path, look)
      await page.context().close()
    }
  })
})

async function shoot(page: Awaited<ReturnType<typeof openPage>>['page'], path: string, look: Look) {
  if (process.env['SHOTS'] === undefined) return
  const name = `${path.replaceAll(/[^a-z-]+/g, '_')}-${look}.png`
  await page.screenshot({ path: `${process.env['SHOTS']}/${name}`, fullPage: true })
}
