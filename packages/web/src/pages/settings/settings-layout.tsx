import { Link, Outlet, useParams } from '@tanstack/react-router'
import { SETTINGS_NAVIGATION } from '../../shell/navigation.ts'
import { Page } from '../../ui/page.tsx'
import { TAB_CLASS, Tabs } from '../../ui/tabs.tsx'

export function SettingsLayout() {
  const { orgId } = useParams({ from: '/o/$orgId/settings' })
  return (
    <Page title="Settings">
      <Tabs label="Settings">
        {SETTINGS_NAVIGATION.map(({ label, path }) => (
          <Link
            key={path}
            to={`/o/$orgId/settings${path}`}
            params={{ orgId }}
            className={TAB_CLASS}
          >
            {label}
          </Link>
        ))}
      </Tabs>
      <Outlet />
    </Page>
  )
}
