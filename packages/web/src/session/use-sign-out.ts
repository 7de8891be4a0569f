import { useNavigate } from '@tanstack/react-router'
import { signOut } from './session.ts'
import { useAction } from './use-action.ts'

/** Ends the session and shows the public start page; a failure is told in a toast. */
export function useSignOut() {
  const navigate = useNavigate()
  return useAction({ run: signOut, refresh: [], onDone: () => void navigate({ to: '/' }) })
}
