import type { ReactNode } from 'react'
import { classNames } from './class-names.ts'

export type CardProps = {
  title?: ReactNode
  /** One line under the title. */
  note?: ReactNode
  actions?: ReactNode
  className?: string
  /** False if the content reaches the edges, as tables do. */
  padded?: boolean
  children: ReactNode
}

/** Loading and error states keep their padding inside an unpadded card. */
const UNPADDED = '[&>[role=status]]:px-5 [&>[role=alert]]:m-5'

/** A section with its own heading. */
export function Card({ title, note, actions, className, padded = true, children }: CardProps) {
  return (
    <section
      className={classNames(
        'min-w-0 rounded-card border border-line bg-surface shadow-soft',
        className,
      )}
    >
      {title === undefined ? null : (
        <header className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 border-b border-line px-5 py-3">
          <div className="min-w-0 flex-1 basis-56">
            <h2 className="text-[0.9375rem] font-semibold">{title}</h2>
            {note === undefined ? null : <p className="text-sm text-ink-faint">{note}</p>}
          </div>
          {actions}
        </header>
      )}
      <div className={padded ? 'p-5' : UNPADDED}>{children}</div>
    </section>
  )
}
