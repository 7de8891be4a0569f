import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findRunning } from '@touchstone/server/embedded'
import pg from 'pg'
import type { Browser, Page } from 'playwright-core'
import { createSeed } from './decision-seed.ts'
import { p99OfPacedLoad } from './paced-load.ts'
import { median, percentile, report } from './report.ts'
import { createDataFolder, startService } from './service.ts'

/** The dashboard in a browser, in an organisation with many decisions. */

const DECISIONS = Number(process.env['DECISIONS'] ?? 5_000_000)
const PORT = 8947
const ORIGIN = `http://127.0.0.1:${PORT}`
const PROBES = 15
const TAIL_PER_SECOND = 200
const TAIL_SECONDS = 20
/** Our own limits. */
const FIRST_ROWS_MS_MAX = 400
const PALETTE_MS_MAX = 100
const TAIL_SHARE_MAX = 0.3

type Account = { org_id: string; api_key: string; email: string; password: string }

/** Typed here, because the harness of the tests is not part of this project. */
const HARNESS = new URL('../../test/harness/chromium.ts', import.meta.url).href
const { sharedChromium } = (await import(HARNESS)) as { sharedChromium(): Promise<Browser> }

const folder = createDataFolder()
const service = await startService(folder.dir, PORT)
const account: Account = JSON.parse(readFileSync(join(folder.dir, 'credentials.json'), 'utf8'))
const client = new pg.Client({ connectionString: (await findRunning(folder.dir)) ?? '' })
await client.connect()
const seed = await createSeed(client, account.org_id)
await seed.fill(DECISIONS, 0)
await seed.count()
await client.end()

const headers = {
  authorization: `Bearer ${account.api_key}`,
  'content-type': 'application/json',
}
const agent = { agent_id: 'tail-desk', name: 'Tail desk' }
await fetch(`${ORIGIN}/v1/agents`, { method: 'POST', headers, body: JSON.stringify(agent) })

const browser = await sharedChromium()
const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
const page = await context.newPage()
await page.goto(`${ORIGIN}/sign-in`)
await page.getByLabel('Email').fill(account.email)
await page.getByLabel('Password').fill(account.password)
await page.getByRole('button', { name: 'Sign in' }).click()
await page.waitForURL('**/o/**')

/** From the start of the navigation until the first row has been painted, in milliseconds. */
const FIRST_ROW_AT = `new Promise((found) => {
  const look = () => document.querySelector('tbody tr') === null
    ? requestAnimationFrame(look)
    : requestAnimationFrame(() => found(performance.now()))
  look()
})`

async function firstRowsMs(): Promise<number> {
  await page.goto(`${ORIGIN}/o/${account.org_id}/decisions`, { waitUntil: 'commit' })
  return Number(await page.evaluate(FIRST_ROW_AT))
}

/** Set before the key is pressed: from the key until the palette has been painted. */
const WATCH_PALETTE = `void (window.paletteTook = new Promise((found) => {
  addEventListener('keydown', ({ timeStamp }) => {
    const look = () => document.querySelector('dialog[open] [role=combobox]') === null
      ? requestAnimationFrame(look)
      : requestAnimationFrame(() => found(performance.now() - timeStamp))
    look()
  }, { once: true, capture: true })
}))`

async function paletteMs(): Promise<number> {
  await page.evaluate(WATCH_PALETTE)
  await page.keyboard.press('Control+k')
  const ms = Number(await page.evaluate('window.paletteTook'))
  await page.keyboard.press('Escape')
  await page.locator('dialog[open]').waitFor({ state: 'detached' })
  return ms
}

/** The share of a core that the page's main thread is busy while decisions arrive. */
async function tailShare(of: Page): Promise<number> {
  await of.getByText('Live updates').click()
  const session = await context.newCDPSession(of)
  await session.send('Performance.enable')
  const busy = async () => {
    const { metrics } = await session.send('Performance.getMetrics')
    return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0
  }
  const [busyBefore, startedAt] = [await busy(), performance.now()]
  await p99OfPacedLoad({
    origin: ORIGIN,
    path: '/v1/gateway/decide',
    headers,
    body: JSON.stringify({ agent_id: agent.agent_id, tool: 'read_mail', session_id: 'tail' }),
    perSecond: TAIL_PER_SECOND,
    seconds: TAIL_SECONDS,
    connections: 16,
  })
  return ((await busy()) - busyBefore) / ((performance.now() - startedAt) / 1000)
}

const measure = async (probe: () => Promise<number>) => {
  await probe()
  const tookMs: number[] = []
  for (let count = 0; count < PROBES; count += 1) tookMs.push(await probe())
  return tookMs
}

const firstRows = await measure(firstRowsMs)
// The palette is loaded one second after the page.
await page.waitForTimeout(2_000)
const firstPalette = await paletteMs()
const palette = await measure(paletteMs)
const share = await tailShare(page)
await browser.close()
await service.stop()
folder.remove()

const count = DECISIONS.toLocaleString('en')
report('console', [
  {
    what: `Decisions page, ${count} decisions: address to first rows, median`,
    unit: 'ms',
    ours: median(firstRows),
    peer: FIRST_ROWS_MS_MAX,
    peerName: 'our maximum',
  },
  {
    what: `Decisions page, ${count} decisions: address to first rows, p90`,
    unit: 'ms',
    ours: percentile(firstRows, 0.9),
    peer: FIRST_ROWS_MS_MAX,
    peerName: 'our maximum',
  },
  {
    what: 'Command palette: key to paint, the first time on a page',
    unit: 'ms',
    ours: firstPalette,
    peer: PALETTE_MS_MAX,
    peerName: 'our maximum',
  },
  {
    what: 'Command palette: key to paint, p90',
    unit: 'ms',
    ours: percentile(palette, 0.9),
    peer: PALETTE_MS_MAX,
    peerName: 'our maximum',
  },
  {
    what: `Live updates, ${TAIL_PER_SECOND} decisions a second: main thread busy`,
    unit: 'of a core',
    ours: share,
    peer: TAIL_SHARE_MAX,
    peerName: 'our maximum',
  },
])
