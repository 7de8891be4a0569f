import { type RefObject, useLayoutEffect, useRef } from 'react'

/** A page that has shown no skeleton for so long is complete. */
const QUIET_MS = 400

/**
 * Marks an element with `data-settling` until its first content is complete, each time `place` changes. While it is
 * marked, theme.css hides what follows a part that is loading, so that nothing that is visible moves.
 */
export function useSettling<T extends HTMLElement>(place: string): RefObject<T | null> {
  const ref = useRef<T>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another place starts again
  useLayoutEffect(() => {
    const root = ref.current
    if (root === null) return
    let timer: ReturnType<typeof setTimeout> | undefined
    const end = () => {
      observer.disconnect()
      clearTimeout(timer)
      delete root.dataset['settling']
    }
    const check = () => {
      clearTimeout(timer)
      if (root.querySelector('[data-loading]') === null) timer = setTimeout(end, QUIET_MS)
    }
    const observer = new MutationObserver(check)
    observer.observe(root, { childList: true, subtree: true })
    root.dataset['settling'] = ''
    check()
    return end
  }, [place])
  return ref
}
