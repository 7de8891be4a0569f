import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { consoleRoute } from '../../layouts.tsx'
import { readAuditSearch } from './audit-search.ts'

const settingsRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: '/settings',
  component: lazyRouteComponent(() => import('./settings-layout.tsx'), 'SettingsLayout'),
})

const settings = () => settingsRoute

export const settingsRoutes = [
  settingsRoute.addChildren([
    createRoute({
      getParentRoute: settings,
      path: '/',
      beforeLoad: ({ params }) => {
        throw redirect({ to: '/o/$orgId/settings/members', params: { orgId: params.orgId } })
      },
    }),
    createRoute({
      getParentRoute: settings,
      path: '/members',
      component: lazyRouteComponent(() => import('./members-tab.tsx'), 'MembersTab'),
    }),
    createRoute({
      getParentRoute: settings,
      path: '/api-keys',
      component: lazyRouteComponent(() => import('./keys-tab.tsx'), 'KeysTab'),
    }),
    createRoute({
      getParentRoute: settings,
      path: '/sso',
      component: lazyRouteComponent(() => import('./sso-tab.tsx'), 'SsoTab'),
    }),
    createRoute({
      getParentRoute: settings,
      path: '/plan',
      component: lazyRouteComponent(() => import('./plan-tab.tsx'), 'PlanTab'),
    }),
    createRoute({
      getParentRoute: settings,
      path: '/audit-log',
      component: lazyRouteComponent(() => import('./audit-tab.tsx'), 'AuditTab'),
      validateSearch: readAuditSearch,
    }),
    createRoute({
      getParentRoute: settings,
      path: '/approval-channels',
      component: lazyRouteComponent(() => import('./channels-tab.tsx'), 'ChannelsTab'),
    }),
    createRoute({
      getParentRoute: settings,
      path: '/retention',
      component: lazyRouteComponent(() => import('./retention-tab.tsx'), 'RetentionTab'),
    }),
    createRoute({
      getParentRoute: settings,
      path: '/organisation',
      component: lazyRouteComponent(() => import('./organisation-tab.tsx'), 'OrganisationTab'),
    }),
  ]),
] as const
