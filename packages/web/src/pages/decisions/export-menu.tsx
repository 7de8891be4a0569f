import { useTimeRange } from '../../range/use-time-range.ts'
import { useAction } from '../../session/use-action.ts'
import { useRole } from '../../session/use-can-edit.ts'
import { useOrgId } from '../../session/use-org-id.ts'
import { Button } from '../../ui/button.tsx'
import { Popover } from '../../ui/popover.tsx'
import { saveFile } from '../../ui/save-file.ts'
import { type ExportFormat, fetchExport } from './queries.ts'
import { type DecisionSearch, filtersIn, isFiltered } from './search.ts'

const ROLES: readonly (string | undefined)[] = ['owner', 'admin', 'auditor']

/** Downloads all decisions that match the filters, not only the page that is shown. */
export function ExportMenu({ search }: { search: DecisionSearch }) {
  const orgId = useOrgId()
  const role = useRole()
  const range = useTimeRange()
  const download = useAction({
    run: (format: ExportFormat) => fetchExport(orgId, filtersIn(search, range, new Date()), format),
    refresh: [],
    onDone: ({ file, name }) => saveFile(file, name),
  })
  if (!ROLES.includes(role)) return null
  return (
    <Popover label="Export" align="end" busy={download.isPending}>
      {(close) => {
        const start = (format: ExportFormat) => {
          close()
          download.mutate(format)
        }
        return (
          <>
            <p className="text-sm text-ink-soft">
              {isFiltered(search) || range !== undefined
                ? 'All decisions that match the filters and the time range, newest first.'
                : 'All decisions, newest first. Set filters to export fewer.'}
            </p>
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
