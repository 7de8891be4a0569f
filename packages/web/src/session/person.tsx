import { useMe } from './use-session.ts'

/** "you" for the reader; of somebody else only that it is another person is known. */
export function Person({ id }: { id: string | null }) {
  const me = useMe().data
  if (id === null) return 'someone'
  return id === me?.user_id ? 'you' : <span title={id}>somebody else</span>
}
