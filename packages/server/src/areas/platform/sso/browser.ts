/**
 * The cookie that binds a sign-in to the browser that started it. Without it, somebody could start
 * a sign-in, authenticate as themselves and let a victim's browser finish it, who would then work
 * in the wrong account (login CSRF).
 */

/** Covers the request's 10 minutes and the code's 60 seconds. */
const MAX_AGE_SECONDS = 660

/** `__Host-` keeps other hosts of the domain from setting the cookie, but needs https. */
function nameOf(baseUrl: string): string {
  return baseUrl.startsWith('https:') ? '__Host-touchstone-sso' : 'touchstone-sso'
}

/** The browser's secret in a Cookie header, if it has one. */
export function readBrowser(baseUrl: string, header: string | undefined): string | undefined {
  const prefix = `${nameOf(baseUrl)}=`
  const values = (header ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(prefix))
    .map((pair) => pair.slice(prefix.length))
  const [value, ...others] = values
  const isOurs = value !== undefined && /^[A-Za-z0-9_-]{43}$/.test(value)
  return isOurs && others.length === 0 ? value : undefined
}

/** The Set-Cookie header. Lax, because the return from the provider is a cross-site navigation. */
export function browserCookie(baseUrl: string, value: string): string {
  const secure = baseUrl.startsWith('https:') ? '; Secure' : ''
  return `${nameOf(baseUrl)}=${value}; Path=/; Max-Age=${MAX_AGE_SECONDS}; HttpOnly; SameSite=Lax${secure}`
}
