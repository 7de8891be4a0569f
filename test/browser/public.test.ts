import type { Browser } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { atEnd } from '#harness/at-end.ts'
import { launchChromium } from '#harness/chromium.ts'
import { LOOKS, type Look, openPage } from '#harness/page-check.ts'
import { type Service, startSharedService, temporaryDir } from '#harness/process.ts'

const looks = Object.keys(LOOKS) as Look[]

let browser: Browser
let service: Service

beforeAll(async () => {
  browser = await launchChromium()
  atEnd(() => browser.close())
  service = await startSharedService({ DATA_DIR: await temporaryDir() }, ['--empty'])
})

describe('public pages', () => {
  const pages = [
    { path: '/', heading: 'How far can you trust an agent?' },
    { path: '/sign-in', heading: 'Sign in' },
  ]
  for (const { path, heading } of pages) {
    it.each(looks)(`show ${path} without fault, %s`, async (look) => {
      const { page, assertClean } = await openPage(browser, service.url, look)
      await page.goto(path)
      await page.getByRole('heading', { level: 1, name: heading }).waitFor()
      await assertClean()
      if (process.env['SHOTS'] !== undefined) {
        const name = `${path.replaceAll('/', '_')}-${look}.png`
        await page.screenshot({ path: `${process.env['SHOTS']}/${name}`, fullPage: true })
      }
    })
  }

  it('say who may not sign in', async () => {
    const { page } = await openPage(browser, service.url, 'light')
    await page.goto('/sign-in')
    await page.getByLabel('E-mail').fill('nobody@example.com')
    await page.getByLabel('Password').fill('not the password')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('alert').waitFor()
    expect(page.url()).toContain('/sign-in')
  })
})
