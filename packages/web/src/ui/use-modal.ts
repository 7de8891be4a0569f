import { type RefObject, useEffect, useRef } from 'react'

/** Shows and closes a native dialog, which traps focus and closes with Escape. */
export function useModal(isOpen: boolean): RefObject<HTMLDialogElement | null> {
  const element = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const dialog = element.current
    if (dialog === null || dialog.open === isOpen) return
    if (isOpen) dialog.showModal()
    else dialog.close()
  }, [isOpen])
  return element
}
