import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { siteRoute } from '../../layouts.tsx'
import { findSession } from '../../session/use-session.ts'

const site = () => siteRoute

const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined)

export const accountRoutes = [
  createRoute({
    getParentRoute: site,
    path: '/sign-in',
    component: lazyRouteComponent(() => import('./sign-in-page.tsx'), 'SignInPage'),
    validateSearch: (search: Record<string, unknown>): { next?: string } => {
      const next = textOf(search['next'])
      return next === undefined ? {} : { next }
    },
  }),
  createRoute({
    getParentRoute: site,
    path: '/sign-in/sso',
    component: lazyRouteComponent(() => import('./sso-page.tsx'), 'SsoPage'),
    validateSearch: (search: Record<string, unknown>): { code: string; return_to?: string } => {
      const next = textOf(search['return_to'])
      return {
        code: String(search['code'] ?? ''),
        ...(next === undefined ? {} : { return_to: next }),
      }
    },
  }),
  createRoute({
    getParentRoute: site,
    path: '/sign-up',
    component: lazyRouteComponent(() => import('./sign-up-page.tsx'), 'SignUpPage'),
  }),
  createRoute({
    getParentRoute: site,
    path: '/password-reset',
    component: lazyRouteComponent(() => import('./password-reset-page.tsx'), 'PasswordResetPage'),
  }),
  createRoute({
    getParentRoute: site,
    path: '/invitation',
    component: lazyRouteComponent(() => import('./invitation-page.tsx'), 'InvitationPage'),
    beforeLoad: () => findSession(),
  }),
  createRoute({
    getParentRoute: site,
    path: '/account/security',
    component: lazyRouteComponent(() => import('./security-page.tsx'), 'SecurityPage'),
    beforeLoad: async () => {
      if ((await findSession()) === undefined) {
        throw redirect({ to: '/sign-in', search: { next: '/account/security' } })
      }
    },
  }),
  createRoute({
    getParentRoute: site,
    path: '/o/new',
    component: lazyRouteComponent(
      () => import('./new-organisation-page.tsx'),
      'NewOrganisationPage',
    ),
    beforeLoad: async () => {
      if ((await findSession()) === undefined) {
        throw redirect({ to: '/sign-in', search: { next: '/o/new' } })
      }
    },
  }),
] as const
