import { createClient } from '@touchstone/sdk'

/** The signed-in session. The access token is kept in this page's memory only. */
export type Session = { accessToken: string; email: string | null }

const REFRESH_KEY = 'touchstone.refresh'

let session: Session | undefined
let renewal: Promise<Session | undefined> | undefined
const listeners = new Set<() => void>()

/** The client without credentials, for signing in and for public pages. */
export const publicApi = createClient({ baseUrl: '' })

/** The client with the credentials of the signed-in user, if any. */
export const api = createClient({
  baseUrl: '',
  getToken: () => session?.accessToken,
  onUnauthorised: async () => (await renewSession())?.accessToken,
})

export function currentSession(): Session | undefined {
  return session
}

export function subscribeSession(changed: () => void): () => void {
  listeners.add(changed)
  return () => listeners.delete(changed)
}

export type Tokens = { access_token: string; refresh_token: string; user: { email: string | null } }

export function acceptTokens(tokens: Tokens): Session {
  sessionStorage.setItem(REFRESH_KEY, tokens.refresh_token)
  const next = { accessToken: tokens.access_token, email: tokens.user.email }
  setSession(next)
  return next
}

/** Restores the session with this tab's refresh token. Concurrent calls share one request. */
export function renewSession(): Promise<Session | undefined> {
  renewal ??= renew().finally(() => {
    renewal = undefined
  })
  return renewal
}

async function renew(): Promise<Session | undefined> {
  const refreshToken = sessionStorage.getItem(REFRESH_KEY)
  if (refreshToken === null) return undefined
  try {
    const tokens = await publicApi.request('POST', '/v1/auth/refresh', {
      body: { refresh_token: refreshToken },
    })
    return acceptTokens(tokens)
  } catch (err) {
    if (isRejected(err)) clearSession()
    else throw err
    return undefined
  }
}

export async function signOut(): Promise<void> {
  const refreshToken = sessionStorage.getItem(REFRESH_KEY)
  if (refreshToken !== null) {
    // Sign out locally even if the request fails.
    await api
      .request('POST', '/v1/auth/logout', { body: { refresh_token: refreshToken } })
      .catch(() => undefined)
  }
  clearSession()
}

function clearSession(): void {
  sessionStorage.removeItem(REFRESH_KEY)
  setSession(undefined)
}

function setSession(next: Session | undefined): void {
  session = next
  for (const changed of listeners) changed()
}

function isRejected(err: unknown): boolean {
  return err instanceof Error && 'status' in err && (err.status === 401 || err.status === 400)
}
