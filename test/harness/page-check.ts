import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Browser, Locator, Page } from 'playwright-core'
import { expect } from 'vitest'
import { onFileFinished } from './on-file-finished.ts'

/** The variants that every page is checked in. */
const LOOKS = {
  light: { colorScheme: 'light', viewport: { width: 1440, height: 900 } },
  dark: { colorScheme: 'dark', viewport: { width: 1440, height: 900 } },
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
  reader: { locale?: string; timezoneId?: string } = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({ ...LOOKS[look], ...reader, baseURL: baseUrl })
  // An init script bypasses the page's content security policy, which allows only its own scripts.
  await context.addInitScript(AXE)
  await context.addInitScript(RECORD_SHIFTS)
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
    expect(await codesIn(page), `ids and codes in texts, ${name}`).toEqual([])
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

/** Sums up how far visible parts moved without an action of the reader, since the page was loaded. */
const RECORD_SHIFTS = `
  window.layoutShift = { sum: 0, moved: [] }
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries()) {
      if (hadRecentInput) continue
      window.layoutShift.sum += value
      window.layoutShift.moved.push(...sources.map(({ node }) => node?.className || node?.nodeName))
    }
  }).observe({ type: 'layout-shift', buffered: true })`

/** Loads an address and returns the layout shift until nothing is loading, and what moved. */
export async function shiftOf(
  page: Page,
  address: string,
  loaded: () => Promise<void>,
): Promise<{ sum: number; moved: unknown[] }> {
  await page.goto(address)
  await loaded()
  await page.evaluate(TRANSITIONS_FINISHED)
  return page.evaluate('window.layoutShift')
}

/**
 * Waits for transitions, which begin with the next frame. Those of a part that is not rendered, such as in a closed
 * details element, stand still until it is.
 */
const TRANSITIONS_FINISHED = `new Promise((frame) => requestAnimationFrame(() => requestAnimationFrame(frame)))
  .then(() => Promise.allSettled(document.getAnimations()
    .filter(({ effect }) => Number.isFinite(effect.getComputedTiming().endTime) && effect.target.checkVisibility())
    .map((animation) => animation.finished)))
  .then(() => undefined)`

async function applyLook(page: Page, look: Look): Promise<void> {
  const { colorScheme, viewport } = LOOKS[look]
  await page.emulateMedia({ colorScheme })
  await page.setViewportSize(viewport)
  await page.evaluate(TRANSITIONS_FINISHED)
}

/** Takes a screenshot of the whole page if the folder SHOTS is given, as continuous integration does. */
export async function shoot(page: Page, name: string, look?: Look): Promise<void> {
  const dir = process.env['SHOTS']
  if (dir === undefined) return
  const file = `${name.replaceAll(/[^a-z0-9-]+/gi, '_')}${look === undefined ? '' : `-${look}`}.png`
  await page.screenshot({ path: join(dir, file), fullPage: true, caret: 'initial' })
}

/** Presses Tab until the element has the focus, as a reader without a mouse does. */
export async function tabTo(page: Page, element: Locator): Promise<void> {
  await expect
    .poll(async () => {
      await page.keyboard.press('Tab')
      // Within a shadow root the document names only its host.
      return element.evaluate((node) => {
        const root = node.getRootNode()
        return 'activeElement' in root && root.activeElement === node
      })
    })
    .toBe(true)
}

/** The rules about colours, the only ones that a dark page can break and the same light page cannot. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block']

/**
 * Lists ids and codes in the texts of a page. Texts in the font of code may have them: names of tools, values and
 * settings, and ids that can be copied.
 */
async function codesIn(page: Page): Promise<string[]> {
  const texts: unknown = await page.evaluate(PROSE)
  const prose = Array.isArray(texts) ? texts.map(String) : [String(texts)]
  return [...new Set(prose.flatMap((text) => text.match(ID_OR_CODE) ?? []))]
}

/** An id of the service, or words joined by underscores. */
const ID_OR_CODE =
  /\b[a-z]{2,5}-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]+|\b[a-z][a-z0-9]*(?:_[a-z0-9]+)+\b|\b[A-Z]+(?:_[A-Z]+)+\b/g

/** The visible texts of the page's main part that are not in the font of code. */
const PROSE = `(() => {
  const isCode = (element) => element.closest(
    'code, pre, kbd, textarea, blockquote, .font-mono, .cm-editor, .sr-only, [data-own-words]') !== null
  const texts = document.createTreeWalker(document.querySelector('main') ?? document.body, NodeFilter.SHOW_TEXT)
  const found = []
  while (texts.nextNode()) {
    const { parentElement: parent, data } = texts.currentNode
    if (parent !== null && data.trim() !== '' && parent.checkVisibility() && !isCode(parent)) found.push(data)
  }
  return found
})()`

/** Lists the violations that axe finds, one line each. */
async function violationsOf(page: Page, rules?: readonly string[]): Promise<string[]> {
  const options = { resultTypes: ['violations'], ...(rules !== undefined && { runOnly: rules }) }
  const found: unknown = await page.evaluate(
    `axe.run(document, ${JSON.stringify(options)}).then((r) => r.violations.flatMap((v) => v.nodes.map((n) => v.id + ': ' + n.target.join(' ') + ' ' + n.failureSummary)))`,
  )
  return Array.isArray(found) ? found.map(String) : [String(found)]
}
