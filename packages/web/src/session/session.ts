import { createClient } from '@touchstone/sdk'

/** What signing in gives. The access token lives in this page's memory only. */
export type Session = { accessToken: string; email: string | null }

const REFRESH_KEY = 'touchstone.refresh'

let session: Session | undefined
let renewal: Promise<Session | undefined> | undefined
const listeners = new Set<() => void>()

/** Asks without credentials: signing in and public pages. */
export const publicApi = createClient({ baseUrl: '' })

/** Asks as whoever is signed in; public where nobody is. */
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

/** After a reload the refresh token of this tab brings the session back. Asked once at a time. */
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
    // Whether or not the service hears of it, this browser forgets.
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
