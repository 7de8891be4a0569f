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
  { label: 'On-chain', path: '/on-chain' },
  { label: 'Settings', path: '/settings' },
] as const
