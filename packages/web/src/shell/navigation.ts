/** The console's sections, in the order people need them. Each line stands for pages that exist. */
export const CONSOLE_NAVIGATION = [
  { label: 'Overview', path: '' },
  { label: 'Agents', path: '/agents' },
  { label: 'Policies', path: '/policies' },
  { label: 'Escalations', path: '/escalations' },
  { label: 'Teams', path: '/teams' },
  { label: 'Risk', path: '/risk' },
  { label: 'Webhooks', path: '/webhooks' },
  { label: 'On-chain', path: '/on-chain' },
  { label: 'Settings', path: '/settings' },
] as const
