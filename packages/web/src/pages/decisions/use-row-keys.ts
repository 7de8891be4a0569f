import { useNavigate } from '@tanstack/react-router'
import { type RefObject, useEffect, useRef, useState } from 'react'
import { useShortcutsOn } from '../../session/shortcuts.ts'
import type { DecisionRow } from './live-decisions.ts'
import type { DecisionSearch } from './search.ts'
import { focusRow, useListKeys } from './use-list-keys.ts'

/** The row that the keys are at, and what they do: an open panel follows them. */
export function useRowKeys(rows: readonly DecisionRow[], search: DecisionSearch) {
  const { open } = search
  const navigate = useNavigate({ from: '/o/$orgId/decisions' })
  const list = useRef<HTMLDivElement>(null)
  const searchField = useRef<HTMLInputElement>(null)
  const [chosen, setChosen] = useState<string>()
  const isOn = useShortcutsOn()
  const ids = rows.map((row) => row.decision_id)
  const current = [open, chosen].find((id) => id !== undefined && ids.includes(id)) ?? ids[0]
  const show = (id: string | undefined) =>
    void navigate({
      search: { ...search, open: id },
      replace: true,
      resetScroll: false,
    })
  useListKeys({
    isOn,
    ids,
    current,
    isOpen: open !== undefined,
    list,
    search: searchField,
    onMove: (id) => {
      setChosen(id)
      focusRow(list.current, id)
      if (open !== undefined) show(id)
    },
    onClose: () => {
      if (open !== undefined) show(undefined)
    },
  })
  useFocusAfterClosing(list, open)
  return {
    list,
    searchField,
    current,
    isOn,
    close: () => show(undefined),
  }
}

/** Returns the focus to the row whose panel was closed. */
function useFocusAfterClosing(list: RefObject<HTMLElement | null>, open: string | undefined): void {
  const before = useRef(open)
  useEffect(() => {
    const closed = open === undefined ? before.current : undefined
    before.current = open
    if (closed !== undefined) focusRow(list.current, closed)
  }, [list, open])
}
