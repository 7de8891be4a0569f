import { type ReactNode, useId } from 'react'
import { Button } from './button.tsx'
import { CrossIcon } from './icons.tsx'
import { useModal } from './use-modal.ts'

export type DialogProps = {
  open: boolean
  onClose: () => void
  title: string
  children: ReactNode
}

/** A dialog with a title and a button that closes it. */
export function Dialog({ open, onClose, title, children }: DialogProps) {
  const element = useModal(open)
  const titleId = useId()
  return (
    <dialog
      ref={element}
      onClose={onClose}
      aria-labelledby={titleId}
      className="m-auto w-[min(34rem,calc(100vw-2rem))] rounded-card border border-line bg-surface p-0 text-ink shadow-soft"
    >
      {open ? (
        <div className="grid gap-4 p-5">
          <header className="flex items-start justify-between gap-4">
            <h2 id={titleId} className="font-serif text-xl font-semibold">
              {title}
            </h2>
            <Button tone="quiet" onClick={onClose} aria-label="Close">
              <CrossIcon />
            </Button>
          </header>
          {children}
        </div>
      ) : null}
    </dialog>
  )
}
