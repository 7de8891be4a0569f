import { Link, Outlet, useParams } from '@tanstack/react-router'
import { Page } from '../../ui/page.tsx'
import { TAB_CLASS, Tabs } from '../../ui/tabs.tsx'

const TABS = [
  { label: 'Members', to: '/o/$orgId/settings/members' },
  { label: 'API keys', to: '/o/$orgId/settings/api-keys' },
  { label: 'Single sign-on', to: '/o/$orgId/settings/sso' },
  { label: 'Plan and usage', to: '/o/$orgId/settings/plan' },
  { label: 'Audit log', to: '/o/$orgId/settings/audit-log' },
  { label: 'Organisation', to: '/o/$orgId/settings/organisation' },
] as const

export function SettingsLayout() {
  const { orgId } = useParams({ from: '/o/$orgId/settings' })
  return (
    <Page title="Settings">
      <Tabs label="Settings">
        {TABS.map(({ label, to }) => (
          <Link key={to} to={to} params={{ orgId }} className={TAB_CLASS}>
            {label}
          </Link>
        ))}
      </Tabs>
      <Outlet />
    </Page>
  )
}
