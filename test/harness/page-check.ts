import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, Page } from 'playwright-core'
import { expect } from 'vitest'
import { atEnd } from './at-end.ts'

/** Every page is looked at in these. */
const LOOKS = {
  light: { colorScheme: 'light', viewport: { width: 1280, height: 900 } },
  dark: { colorScheme: 'dark', viewport: { width: 1280, height: 900 } },
  phone: { colorScheme: 'light', viewport: { width: 390, height: 844 } },
} as const

export type Look = keyof typeof LOOKS

export type WatchedPage = {
  page: Page
  /** Fails when the console had errors, another host was asked, or a violation is found. */
  assertClean(): Promise<void>
  /** The same in each look, without loading it again; ends in the look it was opened in. */
  assertCleanInEveryLook(shoot: (look: Look) => Promise<void>): Promise<void>
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** A page in a context of its own that remembers whatever went wrong in it. */
export async function openPage(
  browser: Browser,
  baseUrl: string,
  look: Look,
): Promise<WatchedPage> {
  const context = await browser.newContext({ ...LOOKS[look], baseURL: baseUrl })
  // The page's policy lets no script in but its own; what looks at it comes by another way.
  await context.addInitScript(AXE)
  atEnd(() => context.close())
  const page = await context.newPage()
  const troubles: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') troubles.push(message.text())
  })
  page.on('pageerror', (err) => troubles.push(String(err)))
  page.on('request', (req) => {
    const url = new URL(req.url())
    if (url.protocol.startsWith('http') && url.origin !== new URL(baseUrl).origin) {
      troubles.push(`asked ${req.url()}`)
    }
  })
  const assertClean = async (name = look) => {
    expect(troubles, name).toEqual([])
    const wide: unknown = await page.evaluate(
      'document.documentElement.scrollWidth - document.documentElement.clientWidth',
    )
    expect(wide, `how far the page scrolls sideways, ${name}`).toBe(0)
    expect(await violationsOf(page), name).toEqual([])
  }
  return {
    page,
    assertClean: () => assertClean(),
    async assertCleanInEveryLook(shoot) {
      for (const name of Object.keys(LOOKS) as Look[]) {
        await wear(page, name)
        await shoot(name)
        await assertClean(name)
      }
      await wear(page, look)
    },
  }
}

/** Colours change over time, which begins with the next frame. */
const CHANGED = `new Promise((frame) => requestAnimationFrame(() => requestAnimationFrame(frame)))
  .then(() => Promise.allSettled(document.getAnimations()
    .filter((animation) => Number.isFinite(animation.effect.getComputedTiming().endTime))
    .map((animation) => animation.finished)))
  .then(() => undefined)`

async function wear(page: Page, look: Look): Promise<void> {
  const { colorScheme, viewport } = LOOKS[look]
  await page.emulateMedia({ colorScheme })
  await page.setViewportSize(viewport)
  await page.evaluate(CHANGED)
}

/** What axe finds, one line each. */
async function violationsOf(page: Page): Promise<string[]> {
  const found: unknown = await page.evaluate(
    "axe.run(document, { resultTypes: ['violations'] }).then((r) => r.violations.flatMap((v) => v.nodes.map((n) => v.id + ': ' + n.target.join(' ') + ' ' + n.failureSummary)))",
  )
  return Array.isArray(found) ? found.map(String) : [String(found)]
}
