import { useSyncExternalStore } from 'react'

export type Density = 'comfortable' | 'compact'

const KEY = 'touchstone.density'
const listeners = new Set<() => void>()

function stored(): Density {
  try {
    return localStorage.getItem(KEY) === 'compact' ? 'compact' : 'comfortable'
  } catch {
    return 'comfortable'
  }
}

/** Applies the density saved in this browser; theme.css defines what it changes. */
export function applyDensity(density: Density = stored()): void {
  document.documentElement.dataset['density'] = density
  for (const changed of listeners) changed()
}

export function setDensity(density: Density): void {
  try {
    localStorage.setItem(KEY, density)
  } catch {
    // localStorage is blocked: the choice ends with the page.
  }
  applyDensity(density)
}

export function useDensity(): Density {
  return useSyncExternalStore(subscribe, current)
}

function current(): Density {
  return document.documentElement.dataset['density'] === 'compact' ? 'compact' : 'comfortable'
}

function subscribe(changed: () => void): () => void {
  listeners.add(changed)
  return () => listeners.delete(changed)
}
