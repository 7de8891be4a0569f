import { lazy, Suspense, useEffect, useEffectEvent, useState } from 'react'
import { createPortal } from 'react-dom'
import { areShortcutsOn } from '../../session/shortcuts.ts'
import { SearchIcon } from '../../ui/icons.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import { isFree } from '../../ui/key-events.ts'
import { PALETTE_KEYS } from './palette-keys.ts'

const loadPalette = () => import('./command-palette.tsx')
const CommandPalette = lazy(async () => ({ default: (await loadPalette()).CommandPalette }))
const ShortcutsDialog = lazy(async () => ({
  default: (await import('./shortcuts-dialog.tsx')).ShortcutsDialog,
}))

/** The button that opens the command palette, and the keys that do so on every page. */
export function Palette({ orgId }: { orgId: string }) {
  const [shown, setShown] = useState<'palette' | 'shortcuts'>()
  const close = () => setShown(undefined)
  useShellKeys({
    onPalette: () => setShown('palette'),
    onHelp: () => setShown('shortcuts'),
  })
  useEffect(() => {
    // Loaded while nothing else happens, so that the first opening does not wait for it.
    const whenIdle = setTimeout(() => void loadPalette(), 1_000)
    return () => clearTimeout(whenIdle)
  }, [])
  return (
    <div className="px-3 pb-3">
      <button
        type="button"
        onClick={() => setShown('palette')}
        aria-keyshortcuts="Control+K Meta+K"
        className="flex min-h-9 w-full items-center gap-2 rounded-md border border-line px-2.5 text-sm text-ink-soft hover:border-line-strong hover:text-ink"
      >
        <SearchIcon />
        <span className="flex-1 text-left">Search</span>
        <span aria-hidden="true" className="text-xs max-lg:hidden">
          <Kbd>{PALETTE_KEYS}</Kbd>
        </span>
      </button>
      {createPortal(
        // Outside the header, which is hidden on a phone.
        <Suspense>
          {shown === 'palette' ? (
            <CommandPalette
              orgId={orgId}
              onClose={close}
              showShortcuts={() => setShown('shortcuts')}
            />
          ) : null}
          {shown === 'shortcuts' ? <ShortcutsDialog onClose={close} /> : null}
        </Suspense>,
        document.body,
      )}
    </div>
  )
}

type ShellKeys = { onPalette: () => void; onHelp: () => void }

/** Cmd-K or Ctrl-K, also while typing, and ? where it is not typed. */
function useShellKeys({ onPalette, onHelp }: ShellKeys): void {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    const isPalette = event.key.toLowerCase() === 'k' && (event.metaKey || event.ctrlKey)
    const isHelp = event.key === '?' && areShortcutsOn() && isFree(event)
    if (!isPalette && !isHelp) return
    event.preventDefault()
    if (isPalette) onPalette()
    else onHelp()
  })
  useEffect(() => {
    const listener = (event: KeyboardEvent) => onKey(event)
    document.addEventListener('keydown', listener)
    return () => document.removeEventListener('keydown', listener)
  }, [])
}
