import { cookieName, readCookie, writeCookie } from '../../../cookie.ts'

/** spec: platform §2.4. */
export const SESSION_DAYS = 30
const SESSION_SECONDS = SESSION_DAYS * 86_400
/** Another prefix than that of other refresh tokens, because a renewal does not use it up. */
export const BROWSER_TOKEN = /^tsb_[A-Za-z0-9_-]{43}$/

/**
 * The cookie that keeps a person signed in on the dashboard. Browsers do not separate the cookies of
 * two services on one host by their ports, so the port is part of the name.
 */
function nameOf(baseUrl: string) {
  const { port } = new URL(baseUrl)
  return cookieName(baseUrl, port === '' ? 'touchstone-session' : `touchstone-session-${port}`)
}

export function readSessionCookie(baseUrl: string, header: string | undefined): string | undefined {
  return readCookie(nameOf(baseUrl), header, BROWSER_TOKEN)
}

/** Strict: a page of another site can neither use nor replace the session. */
export function sessionCookie(baseUrl: string, token: string): string {
  const options = { value: token, maxAgeSeconds: SESSION_SECONDS, sameSite: 'Strict' as const }
  return writeCookie(nameOf(baseUrl), options)
}

export function endedSessionCookie(baseUrl: string): string {
  return writeCookie(nameOf(baseUrl), { value: '', maxAgeSeconds: 0, sameSite: 'Strict' })
}
