import { useEffect, useRef, useState } from 'react'
import { ErrorState } from './states.tsx'

export type DiffProps = {
  /** Accessible name of the diff. */
  label: string
  before: string
  after: string
}

/** The difference of two texts: side by side, on a phone in one column. */
export function Diff({ label, before, after }: DiffProps) {
  const element = useRef<HTMLDivElement>(null)
  const [error, setError] = useState<unknown>()
  useEffect(() => {
    let unmount: (() => void) | undefined
    let isUnmounted = false
    import('./codemirror.ts').then(({ mountDiff }) => {
      if (isUnmounted || element.current === null) return
      unmount = mountDiff(element.current, { label, before, after })
    }, setError)
    return () => {
      isUnmounted = true
      unmount?.()
    }
  }, [label, before, after])
  if (before === after) return <p className="text-sm text-ink-soft">No changes</p>
  return (
    <div className="max-h-[36rem] min-h-12 min-w-0 overflow-auto rounded-md border border-line">
      {error === undefined ? null : <ErrorState error={error} />}
      <div ref={element} />
    </div>
  )
}
