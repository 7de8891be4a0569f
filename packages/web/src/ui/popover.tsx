import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { Button } from './button.tsx'
import { classNames } from './class-names.ts'
import { ChevronIcon } from './icons.tsx'

export type PopoverProps = {
  label: string
  /** The side of the button that the content is aligned with. */
  align?: 'start' | 'end'
  busy?: boolean
  children: (close: () => void) => ReactNode
}

/**
 * A button that shows its content below. Escape closes it, and so does focus that leaves it. On a
 * phone the content is as wide as the nearest positioned element around.
 */
export function Popover({ label, align = 'start', busy = false, children }: PopoverProps) {
  const [isOpen, setIsOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const content = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    if (isOpen) content.current?.focus()
  }, [isOpen])
  const close = () => {
    setIsOpen(false)
    button.current?.focus()
  }
  const closeByKey = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !isOpen) return
    event.preventDefault()
    close()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: only watches keys and focus of its content
    <div
      className="sm:relative"
      onKeyDown={closeByKey}
      onBlur={({ currentTarget, relatedTarget }) => {
        if (!currentTarget.contains(relatedTarget)) setIsOpen(false)
      }}
    >
      <Button
        ref={button}
        busy={busy}
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        onClick={() => setIsOpen(!isOpen)}
      >
        {label}
        <ChevronIcon />
      </Button>
      {isOpen ? (
        <dialog
          ref={content}
          open
          id={id}
          aria-label={label}
          // Clicks on plain parts keep the focus inside.
          tabIndex={-1}
          className={classNames(
            'absolute top-full z-20 m-0 mt-1 grid gap-3 rounded-card border border-line bg-surface p-4 text-ink shadow-soft outline-none',
            'max-sm:inset-x-0 max-sm:w-auto sm:w-80',
            align === 'start' ? 'sm:left-0 sm:right-auto' : 'sm:right-0 sm:left-auto',
          )}
        >
          {children(close)}
        </dialog>
      ) : null}
    </div>
  )
}
