import { useSyncExternalStore } from 'react'
import { readStored, store } from './browser-storage.ts'

const STORED_AS = 'touchstone.shortcuts'
const listeners = new Set<() => void>()

/** The keys of lists, for the hint below them and for the list of all shortcuts. */
export const LIST_KEYS = [
  ['j', 'next'],
  ['k', 'previous'],
  ['Enter', 'open'],
  ['Esc', 'close'],
  ['/', 'search'],
] as const

/** Whether single letters are shortcuts. They can be turned off, because speech input types letters. */
export function areShortcutsOn(): boolean {
  return readStored(STORED_AS) !== 'off'
}

export function useShortcutsOn(): boolean {
  return useSyncExternalStore(subscribe, areShortcutsOn)
}

export function setShortcutsOn(isOn: boolean): void {
  store(STORED_AS, isOn ? 'on' : 'off')
  for (const changed of listeners) changed()
}

function subscribe(changed: () => void): () => void {
  listeners.add(changed)
  return () => listeners.delete(changed)
}
