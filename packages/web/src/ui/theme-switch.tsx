import { useSyncExternalStore } from 'react'
import { Button } from './button.tsx'
import { MoonIcon, SunIcon } from './icons.tsx'

const KEY = 'touchstone.theme'

/** The first script of the page applies what is chosen here. */
export function ThemeSwitch() {
  const dark = useSyncExternalStore(
    subscribe,
    () => document.documentElement.dataset['theme'] === 'dark',
  )
  const choose = () => {
    try {
      localStorage.setItem(KEY, dark ? 'light' : 'dark')
    } catch {
      // It holds for this page at least.
    }
    dispatchEvent(new Event('touchstone:theme'))
  }
  return (
    <Button
      tone="quiet"
      onClick={choose}
      aria-label={dark ? 'Use light colours' : 'Use dark colours'}
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
