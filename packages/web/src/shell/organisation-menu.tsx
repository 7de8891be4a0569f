import { Link } from '@tanstack/react-router'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { useMe } from '../session/use-session.ts'
import { CheckIcon, ChevronIcon, PlusIcon } from '../ui/icons.tsx'
import { sentenceCase } from '../ui/marks.tsx'

const ITEM = 'flex items-center gap-2 rounded px-2.5 py-1.5 text-sm hover:bg-sunken'

/** Shows the current organisation, switches to another one and links to creating a new one. */
export function OrganisationMenu({ orgId }: { orgId: string }) {
  const me = useMe()
  const [open, setOpen] = useState(false)
  const element = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (!open) return
    const leave = (event: PointerEvent) => {
      if (event.target instanceof Node && element.current?.contains(event.target)) return
      setOpen(false)
    }
    addEventListener('pointerdown', leave)
    return () => removeEventListener('pointerdown', leave)
  }, [open])
  const close = (event: KeyboardEvent) => event.key === 'Escape' && setOpen(false)
  const orgs = me.data?.orgs ?? []
  const current = orgs.find((org) => org.org_id === orgId)
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape closes the open menu
    <div ref={element} className="relative px-3 pb-3" onKeyDown={close}>
      <button
        type="button"
        aria-expanded={open}
        onClick={() => setOpen(!open)}
        className="flex w-full items-center gap-2.5 rounded-md border border-line bg-raised px-2.5 py-2 text-left hover:border-line-strong"
      >
        <Initial name={current?.name ?? '…'} />
        <span className="min-w-0 flex-1">
          <span className="sr-only">Organisation: </span>
          <span className="block truncate text-sm font-medium">{current?.name ?? '…'}</span>
          <span className="block text-xs text-ink-faint">
            {current === undefined ? ' ' : sentenceCase(current.role)}
          </span>
        </span>
        <ChevronIcon />
      </button>
      {open ? (
        <div className="absolute inset-x-3 top-full z-20 -mt-2 rounded-md border border-line bg-raised p-1 shadow-soft">
          <ul>
            {orgs.map((org) => (
              <li key={org.org_id}>
                <Link
                  to="/o/$orgId"
                  params={{ orgId: org.org_id }}
                  className={ITEM}
                  onClick={() => setOpen(false)}
                >
                  <Initial name={org.name} />
                  <span className="min-w-0 flex-1 truncate">{org.name}</span>
                  {org.org_id === orgId ? <CheckIcon /> : null}
                </Link>
              </li>
            ))}
          </ul>
          <Link to="/o/new" className={`${ITEM} mt-1 border-t border-line text-ink-soft`}>
            <PlusIcon />
            New organisation
          </Link>
        </div>
      ) : null}
    </div>
  )
}

function Initial({ name }: { name: string }) {
  return (
    <span
      aria-hidden="true"
      className="grid size-6 shrink-0 place-items-center rounded bg-accent-wash font-serif text-sm font-semibold text-accent"
    >
      {name.charAt(0).toUpperCase()}
    </span>
  )
}
