import { type RefObject, useLayoutEffect, useRef } from 'react'

/** Shows and closes a native dialog, which traps focus and closes with Escape. */
export function useModal(isOpen: boolean): RefObject<HTMLDialogElement | null> {
  const element = useRef<HTMLDialogElement>(null)
  // Before the next key, which the dialog should get.
  useLayoutEffect(() => {
    const dialog = element.current
    if (dialog === null || dialog.open === isOpen) return
    if (isOpen) dialog.showModal()
    else dialog.close()
  }, [isOpen])
  return element
}
