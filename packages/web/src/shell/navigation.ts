/** The console's sections, in the order people need them. Each line stands for pages that exist. */
export const CONSOLE_NAVIGATION = [
  { label: 'Overview', path: '' },
  { label: 'Agents', path: '/agents' },
  { label: 'Settings', path: '/settings' },
] as const
