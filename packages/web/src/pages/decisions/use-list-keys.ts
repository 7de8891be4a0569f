import { type RefObject, useEffect, useEffectEvent } from 'react'
import { isFree } from '../../ui/key-events.ts'

export type ListKeys = {
  isOn: boolean
  ids: readonly string[]
  /** The id of the row that the keys start from. */
  current: string | undefined
  /** Whether the row is open beside the list, so that the reader sees where the keys are. */
  isOpen: boolean
  list: RefObject<HTMLElement | null>
  search: RefObject<HTMLElement | null>
  onMove: (id: string) => void
  onClose: () => void
}

/** The attribute of the link of each row that the keys focus. */
export const ROW_ATTRIBUTE = 'data-row'

export function focusRow(list: HTMLElement | null, id: string): void {
  list?.querySelector<HTMLElement>(`[${ROW_ATTRIBUTE}="${CSS.escape(id)}"]`)?.focus()
}

/**
 * j and k, and the arrow keys within the list, move the focus through its rows; Enter follows the
 * link that has it. / goes to the search field, and Escape closes what is open beside the list.
 */
export function useListKeys(keys: ListKeys): void {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    const action = actionOf(event, keys)
    if (action === undefined) return
    event.preventDefault()
    action()
  })
  useEffect(() => {
    const listener = (event: KeyboardEvent) => onKey(event)
    document.addEventListener('keydown', listener)
    return () => document.removeEventListener('keydown', listener)
  }, [])
}

function actionOf(event: KeyboardEvent, keys: ListKeys): (() => void) | undefined {
  const { key, target } = event
  if (!isFree(event) || !(target instanceof HTMLElement)) return undefined
  if (key === 'Escape') return keys.onClose
  const step = stepOf(key, keys.isOn, keys.list.current?.contains(target) === true)
  if (step !== 0) return () => move(keys, step)
  return key === '/' && keys.isOn ? () => keys.search.current?.focus() : undefined
}

function stepOf(key: string, isOn: boolean, isInList: boolean): -1 | 0 | 1 {
  if ((isOn && key === 'j') || (isInList && key === 'ArrowDown')) return 1
  if ((isOn && key === 'k') || (isInList && key === 'ArrowUp')) return -1
  return 0
}

function move({ ids, current, isOpen, list, onMove }: ListKeys, step: -1 | 1): void {
  const isSeen = isOpen || list.current?.contains(document.activeElement) === true
  const place = current === undefined ? -1 : ids.indexOf(current)
  // The first key only shows where the reader is.
  const next = ids[place < 0 ? 0 : isSeen ? place + step : place]
  if (next !== undefined) onMove(next)
}
