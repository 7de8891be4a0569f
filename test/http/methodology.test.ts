import { createHash } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { type TestApp, testApp } from '#harness/app.ts'

let t: TestApp
beforeAll(async () => {
  t = await testApp()
})

const PATH = '/docs/methodology'

describe('GET /docs/methodology', () => {
  it('is a public page', async () => {
    const page = await t.call('GET', PATH)
    expect(page.status).toBe(200)
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8')
    expect(page.headers['x-content-type-options']).toBe('nosniff')
    expect(page.headers['cache-control']).toBe('public, max-age=300')
    expect(page.text).toContain('<h1>How scores are computed</h1>')
    expect(page.text).not.toMatch(/https?:\/\//)
  })

  it('has a Content-Security-Policy that allows only its inline style sheet', async () => {
    const page = await t.call('GET', PATH)
    const [, style = ''] = /<style>([\s\S]*)<\/style>/.exec(page.text) ?? []
    const hash = createHash('sha256').update(style).digest('base64')
    expect(page.headers['content-security-policy']).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    )
  })

  it('responds to HEAD with the same headers and no body', async () => {
    const [page, head] = [await t.call('GET', PATH), await t.call('HEAD', PATH)]
    expect(head.status).toBe(200)
    expect(head.text).toBe('')
    for (const name of ['content-type', 'content-security-policy', 'etag', 'cache-control']) {
      expect(head.headers[name]).toBe(page.headers[name])
    }
  })

  it('honours If-None-Match', async () => {
    const { headers } = await t.call('GET', PATH)
    const again = await t.call('GET', PATH, {
      headers: { 'if-none-match': String(headers['etag']) },
    })
    expect(again.status).toBe(304)
    expect(again.text).toBe('')
  })

  it('rejects methods other than GET and HEAD', async () => {
    const response = await t.call('POST', PATH)
    expect(response.status).toBe(405)
    expect(response.headers['allow']).toContain('GET')
  })
})
