import { describe, expect, it } from 'vitest'
import { browserCookie, readBrowser } from './browser.ts'

const value = 'A'.repeat(43)
const http = 'http://localhost:8787'
const https = 'https://touchstone.test'

describe('the cookie of a browser that signs in', () => {
  it('is out of the reach of scripts, other sites and, over https, other hosts', () => {
    expect(browserCookie(https, value)).toBe(
      `__Host-touchstone-sso=${value}; Path=/; Max-Age=660; HttpOnly; SameSite=Lax; Secure`,
    )
    expect(browserCookie(http, value)).not.toContain('Secure')
  })

  it('is read back from among other cookies', () => {
    expect(readBrowser(http, `a=b; touchstone-sso=${value}; c=d`)).toBe(value)
    expect(readBrowser(https, `__Host-touchstone-sso=${value}`)).toBe(value)
  })

  it('is not one that another host could have set, that is malformed or ambiguous', () => {
    expect(readBrowser(https, `touchstone-sso=${value}`)).toBeUndefined()
    expect(readBrowser(http, `touchstone-sso=${value}; touchstone-sso=${value}`)).toBeUndefined()
    for (const header of [undefined, '', 'touchstone-sso=short', `x-touchstone-sso=${value}`]) {
      expect(readBrowser(http, header)).toBeUndefined()
    }
  })
})
