import { Link, Outlet, useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { signOut } from '../session/session.ts'
import { useMe } from '../session/use-session.ts'
import { Button } from '../ui/button.tsx'
import { classNames } from '../ui/class-names.ts'
import { Select } from '../ui/field.tsx'
import { MenuIcon } from '../ui/icons.tsx'
import { ThemeSwitch } from '../ui/theme-switch.tsx'
import { Brand } from './brand.tsx'
import { CONSOLE_NAVIGATION } from './navigation.ts'
import { SkipLink } from './skip-link.tsx'

/** Around every page of an organisation: where one is, and where one can go. */
export function ConsoleShell() {
  const { orgId } = useParams({ from: '/o/$orgId' })
  const [open, setOpen] = useState(false)
  return (
    <div className="min-h-dvh lg:grid lg:grid-cols-[15rem_minmax(0,1fr)]">
      <SkipLink />
      <div className="border-b border-line bg-surface lg:sticky lg:top-0 lg:flex lg:h-dvh lg:flex-col lg:overflow-y-auto lg:border-r lg:border-b-0">
        <div className="flex items-center justify-between gap-2 px-4 py-3">
          <Brand />
          <div className="flex lg:hidden">
            <ThemeSwitch />
            <Button
              tone="quiet"
              aria-label="Menu"
              aria-expanded={open}
              onClick={() => setOpen(!open)}
            >
              <MenuIcon />
            </Button>
          </div>
        </div>
        <div className={classNames(open ? 'flex' : 'hidden', 'flex-1 flex-col lg:flex')}>
          <OrganisationSwitch orgId={orgId} />
          <Navigation orgId={orgId} onGo={() => setOpen(false)} />
          <Account />
        </div>
      </div>
      <main id="content" className="min-w-0">
        <Outlet />
      </main>
    </div>
  )
}

function OrganisationSwitch({ orgId }: { orgId: string }) {
  const me = useMe()
  const navigate = useNavigate()
  return (
    <div className="px-4 pb-3">
      <label htmlFor="organisation" className="sr-only">
        Organisation
      </label>
      <Select
        id="organisation"
        value={orgId}
        onChange={(event) =>
          void navigate({ to: '/o/$orgId', params: { orgId: event.target.value } })
        }
      >
        {(me.data?.orgs ?? [{ org_id: orgId, name: '…' }]).map((org) => (
          <option key={org.org_id} value={org.org_id}>
            {org.name}
          </option>
        ))}
      </Select>
    </div>
  )
}

function Navigation({ orgId, onGo }: { orgId: string; onGo: () => void }) {
  return (
    <nav aria-label="Organisation" className="grid gap-0.5 px-2">
      {CONSOLE_NAVIGATION.map(({ label, path }) => (
        <Link
          key={path}
          to={`/o/$orgId${path}`}
          params={{ orgId }}
          activeOptions={{ exact: path === '' }}
          onClick={onGo}
          className="rounded-md px-3 py-1.5 text-sm text-ink-soft hover:bg-sunken hover:text-ink [&.active]:bg-sunken [&.active]:font-medium [&.active]:text-ink"
        >
          {label}
        </Link>
      ))}
    </nav>
  )
}

function Account() {
  const me = useMe()
  const navigate = useNavigate()
  const leave = async () => {
    await signOut()
    await navigate({ to: '/' })
  }
  return (
    <div className="mt-auto flex items-center justify-between gap-2 border-t border-line px-4 py-3 text-sm">
      <span className="truncate text-ink-soft">{me.data?.email}</span>
      <span className="flex">
        <span className="hidden lg:inline">
          <ThemeSwitch />
        </span>
        <Button tone="quiet" onClick={() => void leave()}>
          Sign out
        </Button>
      </span>
    </div>
  )
}
