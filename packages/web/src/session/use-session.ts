import { useQuery } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'
import { api, currentSession, renewSession, type Session, subscribeSession } from './session.ts'

export function useSession(): Session | undefined {
  return useSyncExternalStore(subscribeSession, currentSession)
}

/** The account and its organisations; undefined data where nobody is signed in. */
export function useMe() {
  const session = useSession()
  return useQuery({
    queryKey: ['me', session?.email],
    queryFn: () => api.request('GET', '/v1/auth/me'),
    enabled: session !== undefined,
  })
}

/** For routes that need somebody: the session there is, or the one this tab can bring back. */
export async function findSession(): Promise<Session | undefined> {
  return currentSession() ?? (await renewSession())
}
