import { useTimeRange } from '../../range/use-time-range.ts'
import { useAction } from '../../session/use-action.ts'
import { useRole } from '../../session/use-can-edit.ts'
import { useOrgId } from '../../session/use-org-id.ts'
import { type ExportFormat, ExportPopover } from '../../ui/export-popover.tsx'
import { saveFile } from '../../ui/save-file.ts'
import { fetchExport } from './queries.ts'
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
    <ExportPopover busy={download.isPending} onExport={download.mutate}>
      {isFiltered(search) || range !== undefined
        ? 'All decisions that match the filters and the time range, newest first.'
        : 'All decisions, newest first. Set filters to export fewer.'}
    </ExportPopover>
  )
}
