import { useQuery } from '@tanstack/react-query'
import { Person } from '../session/person.tsx'
import { api } from '../session/session.ts'
import { useRole } from '../session/use-can-edit.ts'
import { useOrgId } from '../session/use-org-id.ts'
import { useMe } from '../session/use-session.ts'

/** Names rarely change, and a page may show many of them. */
const FRESH_MS = 5 * 60_000

function useMembers() {
  const orgId = useOrgId()
  return useQuery({
    // Without the id of the organisation alone, so that its events leave the names cached.
    queryKey: ['members', `members of ${orgId}`],
    queryFn: () => api.request('GET', '/v1/orgs/{org_id}/members', { params: { org_id: orgId } }),
    staleTime: FRESH_MS,
  }).data?.members
}

/** The e-mail address of a member, "you" for the reader, the name of an API key, and the service itself. */
export function MemberName({ id }: { id: string | null }) {
  const me = useMe().data
  const member = useMembers()?.find((one) => one.user_id === id)
  if (id === 'system') return 'Touchstone'
  if (id?.startsWith('key-') === true) return <KeyName id={id} />
  if (member === undefined || id === me?.user_id) return <Person id={id} />
  return <span className="[overflow-wrap:anywhere]">{member.email}</span>
}

/** Only owners and admins can list keys; others see that it was a key. */
function KeyName({ id }: { id: string }) {
  const orgId = useOrgId()
  const role = useRole()
  const keys = useQuery({
    queryKey: ['members', `keys of ${orgId}`],
    queryFn: () => api.request('GET', '/v1/orgs/{org_id}/api-keys', { params: { org_id: orgId } }),
    staleTime: FRESH_MS,
    enabled: role === 'owner' || role === 'admin',
  }).data?.keys
  const name = keys?.find((key) => key.key_id === id)?.name
  return <span title={id}>{name === undefined ? 'an API key' : `key “${name}”`}</span>
}

const USER_ID = /\buser-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g

/** Replaces the ids of members in a text of the service by their e-mail addresses. */
export function useNamesInText(): (text: string) => string {
  const members = useMembers()
  return (text) =>
    text.replace(USER_ID, (id) => members?.find((one) => one.user_id === id)?.email ?? id)
}
