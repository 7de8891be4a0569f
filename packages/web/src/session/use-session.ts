import { useQuery } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { api, currentSession, renewSession, type Session, subscribeSession } from './session.ts'

export function useSession(): Session | undefined {
  return useSyncExternalStore(subscribeSession, currentSession)
}

/** The signed-in account and its organisations; disabled without a session. */
export function useMe() {
  const session = useSession()
  return useQuery({
    queryKey: ['me', session?.email],
    queryFn: () => api.request('GET', '/v1/auth/me'),
    enabled: session !== undefined,
  })
}

/** The current session, or the one that the cookie of the browser restores. */
export async function findSession(): Promise<Session | undefined> {
  return currentSession() ?? (await renewSession())
}
