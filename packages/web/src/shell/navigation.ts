/** The sections of the console, in display order. */
export const CONSOLE_NAVIGATION = [
  { label: 'Overview', path: '' },
  { label: 'Agents', path: '/agents' },
  { label: 'Connect', path: '/connect' },
  { label: 'Policies', path: '/policies' },
  { label: 'Decisions', path: '/decisions' },
  { label: 'Approvals', path: '/approvals' },
  { label: 'Teams', path: '/teams' },
  { label: 'Risk', path: '/risk' },
  { label: 'Webhooks', path: '/webhooks' },
  { label: 'Log', path: '/public-log' },
  { label: 'On-chain', path: '/on-chain' },
  { label: 'Settings', path: '/settings' },
] as const

/** The tabs of the settings, below their address. */
export const SETTINGS_NAVIGATION = [
  { label: 'Members', path: '/members' },
  { label: 'API keys', path: '/api-keys' },
  { label: 'Approval channels', path: '/approval-channels' },
  { label: 'Single sign-on', path: '/sso' },
  { label: 'Plan and usage', path: '/plan' },
  { label: 'Audit log', path: '/audit-log' },
  { label: 'Retention', path: '/retention' },
  { label: 'Organisation', path: '/organisation' },
] as const

/** Whether an address of this site names a section and no organisation, such as `/decisions`. */
export function isSectionPath(address: string): boolean {
  const [, first] = /^(\/[\w-]+)(?:[/?#]|$)/.exec(address) ?? []
  return first !== undefined && CONSOLE_NAVIGATION.some(({ path }) => path === first)
}
