import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { onFileFinished } from './on-file-finished.ts'

/** The variants that every page is checked in. */
const LOOKS = {
  light: { colorScheme: 'light', viewport: { width: 1280, height: 900 } },
  dark: { colorScheme: 'dark', viewport: { width: 1280, height: 900 } },
  phone: { colorScheme: 'light', viewport: { width: 390, height: 844 } },
} as const

export type Look = keyof typeof LOOKS

export type WatchedPage = {
  page: Page
  /** Fails if the console had errors, another host was requested, or axe finds a violation. */
  assertClean(): Promise<void>
  /** Checks every look without reloading, and returns to the initial one. */
  assertCleanInEveryLook(shoot: (look: Look) => Promise<void>): Promise<void>
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Opens a page in a separate browser context and records its errors. */
export async function openPage(
  browser: Browser,
  baseUrl: string,
  look: Look,
): Promise<WatchedPage> {
  const context = await browser.newContext({ ...LOOKS[look], baseURL: baseUrl })
  // An init script bypasses the page's content security policy, which allows only its own scripts.
  await context.addInitScript(AXE)
  onFileFinished(() => context.close())
  const page = await context.newPage()
  const errors: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') errors.push(message.text())
  })
  page.on('pageerror', (err) => errors.push(String(err)))
  page.on('request', (req) => {
    const url = new URL(req.url())
    if (url.protocol.startsWith('http') && url.origin !== new URL(baseUrl).origin) {
      errors.push(`asked ${req.url()}`)
    }
  })
  const assertClean = async (name = look) => {
    expect(errors, name).toEqual([])
    const wide: unknown = await page.evaluate(
      'document.documentElement.scrollWidth - document.documentElement.clientWidth',
    )
    expect(wide, `horizontal overflow in px, ${name}`).toBe(0)
    const rules = name === 'dark' && look !== 'dark' ? COLOUR_RULES : undefined
    expect(await violationsOf(page, rules), name).toEqual([])
  }
  return {
    page,
    assertClean: () => assertClean(),
    async assertCleanInEveryLook(shoot) {
      for (const name of Object.keys(LOOKS) as Look[]) {
        await applyLook(page, name)
        await shoot(name)
        await assertClean(name)
      }
      await applyLook(page, look)
    },
  }
}

/** Waits for colour transitions, which begin with the next frame. */
const TRANSITIONS_FINISHED = `new Promise((frame) => requestAnimationFrame(() => requestAnimationFrame(frame)))
  .then(() => Promise.allSettled(document.getAnimations()
    .filter((animation) => Number.isFinite(animation.effect.getComputedTiming().endTime))
    .map((animation) => animation.finished)))
  .then(() => undefined)`

async function applyLook(page: Page, look: Look): Promise<void> {
  const { colorScheme, viewport } = LOOKS[look]
  await page.emulateMedia({ colorScheme })
  await page.setViewportSize(viewport)
  await page.evaluate(TRANSITIONS_FINISHED)
}

/** Takes a screenshot of the whole page if the folder SHOTS is given. */
export async function shoot(page: Page, name: string, look: Look): Promise<void> {
  const dir = process.env['SHOTS']
  if (dir !== undefined)
    await page.screenshot({ path: `${dir}/${name}-${look}.png`, fullPage: true })
}

/** Presses Tab until the element has the focus, as a reader without a mouse does. */
export async function tabTo(page: Page, element: Locator): Promise<void> {
  await expect
    .poll(async () => {
      await page.keyboard.press('Tab')
      return element.evaluate((node) => node.ownerDocument.activeElement === node)
    })
    .toBe(true)
}

/** The rules about colours, the only ones that a dark page can break and the same light page cannot. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block']

/** Lists the violations that axe finds, one line each. */
async function violationsOf(page: Page, rules?: readonly string[]): Promise<string[]> {
  const options = { resultTypes: ['violations'], ...(rules !== undefined && { runOnly: rules }) }
  const found: unknown = await page.evaluate(
    `axe.run(document, ${JSON.stringify(options)}).then((r) => r.violations.flatMap((v) => v.nodes.map((n) => v.id + ': ' + n.target.join(' ') + ' ' + n.failureSummary)))`,
  )
  return Array.isArray(found) ? found.map(String) : [String(found)]
}
