import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { Popover } from './popover.tsx'

export type ExportFormat = 'csv' | 'ndjson'

type Props = {
  busy: boolean
  onExport: (format: ExportFormat) => void
  /** Describes the content of the file. */
  children: ReactNode
}

export function ExportPopover({ busy, onExport, children }: Props) {
  return (
    <Popover label="Export" align="end" busy={busy}>
      {(close) => {
        const start = (format: ExportFormat) => {
          close()
          onExport(format)
        }
        return (
          <>
            <p className="text-sm text-ink-soft">{children}</p>
            <div className="flex gap-2">
              <Button onClick={() => start('csv')}>CSV</Button>
              <Button onClick={() => start('ndjson')}>JSON Lines</Button>
            </div>
          </>
        )
      }}
    </Popover>
  )
}
