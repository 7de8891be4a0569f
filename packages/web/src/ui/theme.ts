import { useSyncExternalStore } from 'react'

const KEY = 'touchstone.theme'

/** Whether the dark theme is shown. */
export function useIsDark(): boolean {
  return useSyncExternalStore(subscribe, isDark)
}

/** Toggles between the light and the dark theme; theme.js applies the choice. */
export function toggleTheme(): void {
  try {
    localStorage.setItem(KEY, isDark() ? 'light' : 'dark')
  } catch {
    // localStorage is blocked: the choice is not saved.
  }
  dispatchEvent(new Event('touchstone:theme'))
}

function isDark(): boolean {
  return document.documentElement.dataset['theme'] === 'dark'
}

function subscribe(changed: () => void): () => void {
  const observer = new MutationObserver(changed)
  observer.observe(document.documentElement, { attributeFilter: ['data-theme'] })
  return () => observer.disconnect()
}
