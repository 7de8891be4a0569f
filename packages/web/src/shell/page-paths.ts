import { CONSOLE_NAVIGATION } from './navigation.ts'

/**
 * The addresses at which the service answers with the dashboard; `*` stands for the rest of an address. The
 * build writes them beside the page.
 */
export const PAGE_PATHS: readonly string[] = [
  '/',
  '/directory',
  '/docs',
  '/docs/*',
  '/methodology',
  '/verify',
  '/a/*',
  '/t/*',
  '/o/*',
  '/sign-in',
  '/sign-in/*',
  '/sign-up',
  '/invitation',
  '/password-reset',
  '/account/security',
  // Sections without an organisation, as documents and notifications name them.
  ...CONSOLE_NAVIGATION.flatMap(({ path }) => (path === '' ? [] : [path, `${path}/*`])),
]
