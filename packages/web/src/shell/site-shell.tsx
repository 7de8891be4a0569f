import { Link, Outlet, useLocation } from '@tanstack/react-router'
import { useEffect } from 'react'
import { findSession, useMe } from '../session/use-session.ts'
import { buttonClass } from '../ui/button.tsx'
import { ThemeSwitch } from '../ui/theme-switch.tsx'
import { useSettling } from '../ui/use-settling.ts'
import { Brand } from './brand.tsx'
import { OfflineNote } from './offline-note.tsx'
import { SkipLink } from './skip-link.tsx'

const LINK =
  'rounded px-2 py-1 text-sm text-ink-soft hover:text-ink [&.active]:text-ink [&.active]:font-medium'

/** The frame of every public page. */
export function SiteShell() {
  const settling = useSettling<HTMLDivElement>(useLocation().pathname)
  useEffect(() => {
    // Public pages work without a session, so a failed renewal is ignored.
    findSession().catch(() => undefined)
  }, [])
  return (
    <div ref={settling} className="flex min-h-dvh flex-col">
      <SkipLink />
      <header className="border-b border-line bg-surface print:hidden">
        <div className="mx-auto flex w-full max-w-[76rem] flex-wrap items-center gap-x-6 gap-y-2 px-4 py-3 sm:px-6 lg:px-8">
          <Brand />
          <nav
            aria-label="Site"
            className="order-last -ml-2 flex w-full flex-wrap items-center gap-1 sm:order-none sm:ml-0 sm:w-auto"
          >
            <Link to="/directory" className={LINK}>
              Directory
            </Link>
            <Link to="/methodology" className={LINK}>
              Methodology
            </Link>
            <Link to="/verify" className={LINK}>
              Verify
            </Link>
            <Link to="/docs" className={LINK}>
              Docs
            </Link>
          </nav>
          <div className="ml-auto flex items-center gap-2">
            <ThemeSwitch />
            <SignInOrConsole />
          </div>
        </div>
      </header>
      <main id="content" className="flex-1">
        <OfflineNote />
        <Outlet />
      </main>
      <footer className="border-t border-line px-4 py-6 text-center text-xs text-ink-faint">
        Every number on these pages can be recomputed from evidence you can download.
      </footer>
    </div>
  )
}

function SignInOrConsole() {
  const me = useMe()
  const org = me.data?.orgs[0]
  if (org === undefined) {
    return (
      <Link to="/sign-in" className={buttonClass('primary')}>
        Sign in
      </Link>
    )
  }
  return (
    <Link to="/o/$orgId" params={{ orgId: org.org_id }} className={buttonClass('primary')}>
      Open console
    </Link>
  )
}
