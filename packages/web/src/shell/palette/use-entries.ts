import { useActiveTeams } from '../../session/use-active-teams.ts'
import { useAgents } from '../../session/use-agents.ts'
import { useMe } from '../../session/use-session.ts'
import { useSignOut } from '../../session/use-sign-out.ts'
import { setDensity, useDensity } from '../../ui/density.ts'
import { toggleTheme } from '../../ui/theme.ts'
import { CONSOLE_NAVIGATION, SETTINGS_NAVIGATION } from '../navigation.ts'
import type { Entry } from './entry.ts'

/** Everything that the palette can open or do, except records by their id. */
export function useEntries(orgId: string, showShortcuts: () => void): Entry[] {
  const agents = useAgents().data?.agents ?? []
  const teams = useActiveTeams(orgId).data ?? []
  const orgs = useMe().data?.orgs ?? []
  const signOut = useSignOut()
  const density = useDensity()
  const inOrg = (path: string) => `/o/${orgId}${path}`
  return [
    ...CONSOLE_NAVIGATION.map(({ label, path }) => page(label, inOrg(path))),
    ...SETTINGS_NAVIGATION.map(({ label, path }) =>
      page(label, inOrg(`/settings${path}`), 'Settings'),
    ),
    page('Your account', '/account/security', 'Password, second factor, sessions'),
    page('Documentation', '/docs', 'Guides, concepts, API reference'),
    page('Directory', '/directory', 'Public'),
    page('Methodology', '/methodology', 'Public'),
    page('Verify', '/verify', 'Public'),
    ...agents.map(({ agent_id: id, name }) => agent(id, name, inOrg(`/agents/${id}`))),
    ...teams.map(({ id, name }) => team(id, name, inOrg(`/teams/${id}`))),
    policy('org', 'Policy of the organisation', inOrg('/policies/org')),
    ...agents.map(({ agent_id: id, name }) =>
      policy(id, `Policy of ${name}`, inOrg(`/policies/agents/${id}`)),
    ),
    ...teams.map(({ id, name }) => policy(id, `Policy of ${name}`, inOrg(`/policies/teams/${id}`))),
    action('Connect agent', inOrg('/connect')),
    action('Register agent', inOrg('/agents/new')),
    action('Create API key', inOrg('/settings/api-keys')),
    action('Invite member', inOrg('/settings/members')),
    action('Switch theme', toggleTheme),
    action('Switch density', () => setDensity(density === 'compact' ? 'comfortable' : 'compact')),
    action('Show keyboard shortcuts', showShortcuts),
    ...orgs
      .filter((org) => org.org_id !== orgId)
      .map((org) => action(`Switch to ${org.name}`, `/o/${org.org_id}`)),
    action('Create organisation', '/o/new'),
    action('Sign out', () => signOut.mutate()),
  ]
}

const page = (label: string, href: string, detail = ''): Entry => ({
  key: `page ${href}`,
  group: 'Pages',
  label,
  detail,
  act: href,
})

const agent = (id: string, name: string, href: string): Entry => ({
  key: `agent ${id}`,
  group: 'Agents',
  label: name,
  words: id,
  act: href,
})

const team = (id: string, name: string, href: string): Entry => ({
  key: `team ${id}`,
  group: 'Teams',
  label: name,
  words: id,
  act: href,
})

const policy = (id: string, label: string, href: string): Entry => ({
  key: `policy ${id}`,
  group: 'Policies',
  label,
  words: id,
  act: href,
})

const action = (label: string, act: Entry['act']): Entry => ({
  key: `action ${label}`,
  group: 'Actions',
  label,
  act,
})
