import { useMe } from './use-session.ts'

/** A user by id, or "you" for the reader. */
export function Person({ id }: { id: string | null }) {
  const me = useMe().data
  if (id === null) return 'someone'
  return id === me?.user_id ? 'you' : <span className="font-mono break-all">{id}</span>
}
