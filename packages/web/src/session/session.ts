import { createClient } from '@touchstone/sdk'
import { readStored, removeStored, store } from './browser-storage.ts'
import { fetchWithMessage } from './fetch-with-message.ts'
import { broadcast, onBroadcast } from './session-channel.ts'

/**
 * The signed-in session. It is in a cookie that all tabs share and that scripts cannot read (ADR
 * 0067). The access token is kept in this page's memory only.
 */
export type Session = { accessToken: string; userId: string; email: string | null }

/** Set while the cookie should be there, so that visitors without a session do not ask for one. */
const SIGNED_IN = 'touchstone.signed-in'

/** Pages of other sites cannot send it. */
const OWN_PAGE = { 'x-touchstone-dashboard': '1' }

let session: Session | undefined
let renewal: Promise<Session | undefined> | undefined
const listeners = new Set<() => void>()

/** The client without credentials, for signing in and for public pages. */
export const publicApi = createClient({ baseUrl: '', fetch: fetchWithMessage })

/** The client with the credentials of the signed-in user, if any. */
export const api = createClient({
  baseUrl: '',
  fetch: fetchWithMessage,
  getToken: () => session?.accessToken,
  onUnauthorised: async () => (await renewSession())?.accessToken,
})

onBroadcast((message) => {
  if (session === undefined) return
  // Loading the page again leaves nothing of the user who was signed in.
  if (message.type === 'signed-out' || message.userId !== session.userId) location.reload()
})

export function currentSession(): Session | undefined {
  return session
}

export function subscribeSession(changed: () => void): () => void {
  listeners.add(changed)
  return () => listeners.delete(changed)
}

export type Tokens = { refresh_token: string }

/** Moves a new session into the cookie of the browser. */
export async function acceptTokens({ refresh_token }: Tokens): Promise<void> {
  const started = await publicApi.request('POST', '/v1/auth/browser-session', {
    body: { refresh_token },
    headers: OWN_PAGE,
  })
  accept(started)
  broadcast({ type: 'signed-in', userId: started.user.user_id })
}

/** Gets an access token with the cookie of the browser. Concurrent calls share one request. */
export function renewSession(): Promise<Session | undefined> {
  renewal ??= renew().finally(() => {
    renewal = undefined
  })
  return renewal
}

async function renew(): Promise<Session | undefined> {
  if (readStored(SIGNED_IN) === null) return undefined
  try {
    const path = '/v1/auth/browser-session/renew'
    const before = session?.userId
    const renewed = accept(await publicApi.request('POST', path, { headers: OWN_PAGE }))
    // Somebody else signed in while this tab was asleep: what it shows is not theirs.
    if (before !== undefined && before !== renewed.userId) location.reload()
    return renewed
  } catch (err) {
    if (!isRejected(err)) throw err
    clearSession()
    return undefined
  }
}

/** Ends the session in all tabs. Fails if the service cannot be reached: only it can end one. */
export async function signOut(): Promise<void> {
  await publicApi.request('DELETE', '/v1/auth/browser-session', { headers: OWN_PAGE })
  clearSession()
  broadcast({ type: 'signed-out' })
}

type AccessToken = { access_token: string; user: { user_id: string; email: string | null } }

function accept({ access_token: accessToken, user }: AccessToken): Session {
  const next = { accessToken, userId: user.user_id, email: user.email }
  store(SIGNED_IN, '1')
  setSession(next)
  return next
}

function clearSession(): void {
  removeStored(SIGNED_IN)
  setSession(undefined)
}

function setSession(next: Session | undefined): void {
  session = next
  for (const changed of listeners) changed()
}

function isRejected(err: unknown): boolean {
  return err instanceof Error && 'status' in err && err.status === 401
}
