import { Link, Outlet, useLocation, useParams } from '@tanstack/react-router'
import { type ReactNode, useEffect, useState } from 'react'
import { useApprovalAlerts } from '../alerts/use-approval-alerts.ts'
import { usePendingEscalations } from '../pages/approvals/queries.ts'
import { useAgents } from '../session/use-agents.ts'
import { useLiveStream, useStreamSubscription } from '../session/use-live-stream.ts'
import { useMe } from '../session/use-session.ts'
import { useSignOut } from '../session/use-sign-out.ts'
import { Button, buttonClass } from '../ui/button.tsx'
import { classNames } from '../ui/class-names.ts'
import { MenuIcon } from '../ui/icons.tsx'
import { Page } from '../ui/page.tsx'
import { AreNamesLoading } from '../ui/states.tsx'
import { ThemeSwitch } from '../ui/theme-switch.tsx'
import { useSettling } from '../ui/use-settling.ts'
import { Brand } from './brand.tsx'
import { helpFor } from './help.ts'
import { CONSOLE_NAVIGATION } from './navigation.ts'
import { OfflineNote } from './offline-note.tsx'
import { OrganisationMenu } from './organisation-menu.tsx'
import { Palette } from './palette/palette.tsx'
import { SkipLink } from './skip-link.tsx'

/** The frame of every console page: organisation menu, navigation, live status and account. */
export function ConsoleShell() {
  const { orgId } = useParams({ from: '/o/$orgId' })
  const [open, setOpen] = useState(false)
  const me = useMe()
  const org = me.data?.orgs.find((candidate) => candidate.org_id === orgId)
  const isLocked = org?.needs_second_factor === true
  const openOrgId = isLocked ? undefined : orgId
  useStreamSubscription(openOrgId)
  useApprovalAlerts(openOrgId)
  const settling = useSettling<HTMLElement>(useLocation().pathname)
  return (
    <div className="min-h-dvh lg:grid lg:grid-cols-[15rem_minmax(0,1fr)] print:block">
      <SkipLink />
      <header className="border-b border-line bg-surface print:hidden lg:sticky lg:top-0 lg:flex lg:h-dvh lg:flex-col lg:overflow-y-auto lg:border-r lg:border-b-0">
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
          <OrganisationMenu orgId={orgId} />
          {isLocked ? null : <Palette orgId={orgId} />}
          <Navigation orgId={orgId} isLocked={isLocked} onNavigate={() => setOpen(false)} />
          <HelpLink />
          {isLocked ? null : <LiveState />}
          <Account />
        </div>
      </header>
      <main id="content" ref={settling} className="min-w-0">
        <OfflineNote />
        {isLocked ? (
          <SecondFactorRequired name={org.name} />
        ) : (
          <Named>
            <Outlet />
          </Named>
        )}
      </main>
    </div>
  )
}

/** An organisation may have more agents than can be named in this time. */
const NAMES_MS_MAX = 600

/** Lets the parts of a page wait for the names of agents, which most of them show, and for the reader's role. */
function Named({ children }: { children: ReactNode }) {
  const { isLoading } = useAgents()
  const { isLoading: isRoleLoading } = useMe()
  const [isLate, setIsLate] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setIsLate(true), NAMES_MS_MAX)
    return () => clearTimeout(timer)
  }, [])
  return (
    <AreNamesLoading value={(isLoading || isRoleLoading) && !isLate}>{children}</AreNamesLoading>
  )
}

/** Shown in place of every page of an organisation whose rule the account does not meet. */
function SecondFactorRequired({ name }: { name: string }) {
  return (
    <Page
      title="Second factor required"
      lead={`${name} requires its members to sign in with a second factor.`}
      actions={
        <Link to="/account/security" className={buttonClass('primary')}>
          Set up second factor
        </Link>
      }
    >
      <p className="text-ink-soft">
        You need an authenticator app on your phone or computer. Setting it up takes a minute.
      </p>
    </Page>
  )
}

type NavigationProps = { orgId: string; isLocked: boolean; onNavigate: () => void }

function Navigation({ orgId, isLocked, onNavigate }: NavigationProps) {
  return (
    <nav aria-label="Organisation" className="grid gap-0.5 px-2">
      {CONSOLE_NAVIGATION.map(({ label, path }) => (
        <Link
          key={path}
          to={`/o/$orgId${path}`}
          params={{ orgId }}
          activeOptions={{ exact: path === '' }}
          onClick={onNavigate}
          className="flex items-center justify-between gap-2 rounded-md px-3 py-1.5 text-sm text-ink-soft hover:bg-sunken hover:text-ink [&.active]:bg-sunken [&.active]:font-medium [&.active]:text-ink"
        >
          {label}
          {path === '/approvals' && !isLocked ? <PendingCount orgId={orgId} /> : null}
        </Link>
      ))}
    </nav>
  )
}

/** The number of calls that wait for a person. */
function PendingCount({ orgId }: { orgId: string }) {
  const total = usePendingEscalations(orgId).data?.total ?? 0
  if (total === 0) return null
  return (
    <span className="rounded-full bg-accent px-1.5 text-xs font-semibold text-accent-ink tabular">
      {total > PENDING_SHOWN_MAX ? `${PENDING_SHOWN_MAX}+` : total}
      <span className="sr-only"> {total === 1 ? 'call waits' : 'calls wait'}</span>
    </span>
  )
}

const PENDING_SHOWN_MAX = 99

/** Opens in a new tab, so that nothing typed in the page is lost. */
function HelpLink() {
  const { pathname } = useLocation()
  return (
    <a
      href={helpFor(pathname)}
      target="_blank"
      rel="noreferrer"
      className="mx-2 mt-auto rounded-md px-3 py-1.5 text-sm text-ink-soft hover:bg-sunken hover:text-ink"
    >
      Help on this page
    </a>
  )
}

function Account() {
  const me = useMe()
  const leave = useSignOut()
  return (
    <div className="grid gap-1 border-t border-line px-3 py-3 text-sm">
      <Link
        to="/account/security"
        className="truncate rounded px-2 py-1 text-ink-soft hover:bg-sunken hover:text-ink"
      >
        <span className="sr-only">Your account: </span>
        {me.data?.email ?? 'Account'}
      </Link>
      <span className="flex justify-between">
        <span className="hidden lg:inline">
          <ThemeSwitch />
        </span>
        <Button
          tone="quiet"
          className="-order-1 -ml-1"
          onClick={() => leave.mutate()}
          busy={leave.isPending}
        >
          Sign out
        </Button>
      </span>
    </div>
  )
}

const STATES = {
  live: { label: 'Live', dot: 'bg-good' },
  connecting: { label: 'Connecting…', dot: 'bg-warn' },
  reconnecting: { label: 'Reconnecting…', dot: 'bg-warn' },
} as const

/** Whether the live stream is connected, so that pages update by themselves. */
function LiveState() {
  const { state } = useLiveStream()
  const { label, dot } = STATES[state]
  return (
    <p className="flex items-center gap-2 px-5 pt-3 pb-3 text-xs text-ink-soft" role="status">
      <span aria-hidden="true" className={classNames('size-2 rounded-full', dot)} />
      {label}
    </p>
  )
}
