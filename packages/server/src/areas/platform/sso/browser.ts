import { cookieName, readCookie, writeCookie } from '../../../cookie.ts'

/**
 * The cookie that binds a sign-in to the browser that started it. Without it, somebody could start
 * a sign-in, authenticate as themselves and let a victim's browser finish it, who would then work
 * in the wrong account (login CSRF).
 */

/** Covers the request's 10 minutes and the code's 60 seconds. */
const MAX_AGE_SECONDS = 660
const NAME = 'touchstone-sso'
const FORM = /^[A-Za-z0-9_-]{43}$/

/** The browser's secret in a Cookie header, if it has one. */
export function readBrowser(baseUrl: string, header: string | undefined): string | undefined {
  return readCookie(cookieName(baseUrl, NAME), header, FORM)
}

/** The Set-Cookie header. Lax, because the return from the provider is a cross-site navigation. */
export function browserCookie(baseUrl: string, value: string): string {
  return writeCookie(cookieName(baseUrl, NAME), {
    value,
    maxAgeSeconds: MAX_AGE_SECONDS,
    sameSite: 'Lax',
  })
}
