import { useSyncExternalStore } from 'react'
import { Button } from './button.tsx'
import { MoonIcon, SunIcon } from './icons.tsx'

const KEY = 'touchstone.theme'

/** Toggles between the light and the dark theme; theme.js applies the choice. */
export function ThemeSwitch() {
  const dark = useSyncExternalStore(
    subscribe,
    () => document.documentElement.dataset['theme'] === 'dark',
  )
  const choose = () => {
    try {
      localStorage.setItem(KEY, dark ? 'light' : 'dark')
    } catch {
      // localStorage is blocked: the choice is not saved.
    }
    dispatchEvent(new Event('touchstone:theme'))
  }
  return (
    <Button
      tone="quiet"
      onClick={choose}
      aria-label={dark ? 'Switch to light theme' : 'Switch to dark theme'}
    >
      {dark ? <SunIcon /> : <MoonIcon />}
    </Button>
  )
}

function subscribe(changed: () => void): () => void {
  const observer = new MutationObserver(changed)
  observer.observe(document.documentElement, { attributeFilter: ['data-theme'] })
  return () => observer.disconnect()
}
