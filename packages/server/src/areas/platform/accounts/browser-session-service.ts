import { endedSessionCookie, readSessionCookie, sessionCookie } from './session-cookie.ts'
import type { createSessionService, Device, TokenSet } from './session-service.ts'

/** A request of a browser, with its Cookie header. */
export type BrowserRequest = { device: Device; cookies: string | undefined }

/** An access token, and the Set-Cookie header that keeps the session in the browser. */
export type BrowserTokens = { access: Omit<TokenSet, 'refresh_token'>; cookie: string }

type Deps = { baseUrl: string; sessions: ReturnType<typeof createSessionService> }

/** The dashboard's session, in a cookie that all tabs share and that scripts cannot read (ADR 0067). */
export function createBrowserSessionService({ baseUrl, sessions }: Deps) {
  const keep = ({ refresh_token: token, ...access }: TokenSet): BrowserTokens => ({
    access,
    cookie: sessionCookie(baseUrl, token),
  })
  const end = async (cookies: string | undefined): Promise<void> => {
    const token = readSessionCookie(baseUrl, cookies)
    if (token !== undefined) await sessions.logout(token)
  }
  return {
    /** Uses up the refresh token of a sign-in, and ends the session that was in the cookie. */
    async start(refreshToken: string, { device, cookies }: BrowserRequest): Promise<BrowserTokens> {
      const started = await sessions.startInBrowser(refreshToken, device)
      await end(cookies)
      return keep(started)
    },

    async renew({ device, cookies }: BrowserRequest): Promise<BrowserTokens> {
      const token = readSessionCookie(baseUrl, cookies) ?? ''
      return keep(await sessions.renewInBrowser(token, device))
    },

    /** Returns the Set-Cookie header that removes the cookie. */
    async end(cookies: string | undefined): Promise<string> {
      await end(cookies)
      return endedSessionCookie(baseUrl)
    },
  }
}
