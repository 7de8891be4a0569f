import { createHash } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { type TestApp, testApp } from '#harness/app.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp()
})

const URL = '/docs/methodology'

describe('GET /docs/methodology', () => {
  it('is a page for everybody', async () => {
    const page = await t.call('GET', URL)
    expect(page.status).toBe(200)
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8')
    expect(page.headers['x-content-type-options']).toBe('nosniff')
    expect(page.headers['cache-control']).toBe('public, max-age=300')
    expect(page.text).toContain('<h1>How scores are computed</h1>')
    expect(page.text).not.toMatch(/https?:\/\//)
  })

  it('allows a browser its own style sheet and nothing else', async () => {
    const page = await t.call('GET', URL)
    const [, style = ''] = /<style>([\s\S]*)<\/style>/.exec(page.text) ?? []
    const hash = createHash('sha256').update(style).digest('base64')
    expect(page.headers['content-security-policy']).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    )
  })

  it('answers HEAD alike, without the page', async () => {
    const [page, head] = [await t.call('GET', URL), await t.call('HEAD', URL)]
    expect(head.status).toBe(200)
    expect(head.text).toBe('')
    for (const name of ['content-type', 'content-security-policy', 'etag', 'cache-control']) {
      expect(head.headers[name]).toBe(page.headers[name])
    }
  })

  it('is not sent again to who has it', async () => {
    const { headers } = await t.call('GET', URL)
    const again = await t.call('GET', URL, {
      headers: { 'if-none-match': String(headers['etag']) },
    })
    expect(again.status).toBe(304)
    expect(again.text).toBe('')
  })

  it('knows no other method', async () => {
    const answer = await t.call('POST', URL)
    expect(answer.status).toBe(405)
    expect(answer.headers['allow']).toContain('GET')
  })
})
