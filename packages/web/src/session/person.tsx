import { useMe } from './use-session.ts'

/** Who did something: oneself as such, anybody else by the id the log knows them by. */
export function Person({ id }: { id: string | null }) {
  const me = useMe().data
  if (id === null) return 'somebody'
  return id === me?.user_id ? 'you' : <span className="font-mono break-all">{id}</span>
}
