import { Link, useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { useOrgId } from '../../session/use-org-id.ts'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Field, Input } from '../../ui/field.tsx'
import { TAB_CLASS, Tabs } from '../../ui/tabs.tsx'
import {
  ALL_DECISIONS,
  addView,
  cleanName,
  deleteView,
  NAME_LENGTH_MAX,
  nameProblem,
  renameView,
  type SavedView,
  viewOf,
} from './saved-views.ts'
import { type DecisionSearch, filtersOf, isFiltered } from './search.ts'

const FROM = '/o/$orgId/decisions'

type ViewsProps = {
  search: DecisionSearch
  views: readonly SavedView[]
  onChange: (views: SavedView[]) => void
}

/** The saved views as tabs. The address stays the truth: a view is a link to its filters. */
export function ViewTabs({ search, views }: Omit<ViewsProps, 'onChange'>) {
  if (views.length === 0) return null
  const current = viewOf(views, filtersOf(search))
  const all = { name: ALL_DECISIONS, filters: {} }
  return (
    <div className="[&>nav]:mb-4">
      <Tabs label="Saved views">
        {[all, ...views].map((view) => (
          <ViewTab
            key={view.name}
            view={view}
            isCurrent={view === all ? !isFiltered(search) : view === current}
          />
        ))}
      </Tabs>
    </div>
  )
}

/** Names the filters that are set, or edits the view that has exactly these. */
export function EditViewButton({ search, views, onChange }: ViewsProps) {
  const [isEditing, setIsEditing] = useState(false)
  const navigate = useNavigate({ from: FROM })
  const current = viewOf(views, filtersOf(search))?.name
  const title = current === undefined ? 'Save view' : 'Edit view'
  const save = (name: string) => {
    onChange(
      current === undefined
        ? addView(views, { name, filters: filtersOf(search) })
        : renameView(views, current, name),
    )
    setIsEditing(false)
  }
  const remove = () => {
    if (current !== undefined) onChange(deleteView(views, current))
    setIsEditing(false)
    void navigate({ search: {} })
  }
  return (
    <>
      <Button tone="quiet" onClick={() => setIsEditing(true)}>
        {title}
      </Button>
      <Dialog open={isEditing} onClose={() => setIsEditing(false)} title={title}>
        <ViewForm views={views} current={current} onSave={save} onDelete={remove} />
      </Dialog>
    </>
  )
}

function ViewTab({ view, isCurrent }: { view: SavedView; isCurrent: boolean }) {
  const orgId = useOrgId()
  return (
    <Link
      to={FROM}
      params={{ orgId }}
      search={view.filters}
      activeOptions={{ exact: true }}
      activeProps={{}}
      aria-current={isCurrent ? 'page' : undefined}
      className={classNames(TAB_CLASS, isCurrent && 'active')}
    >
      {view.name}
    </Link>
  )
}

type ViewFormProps = {
  views: readonly SavedView[]
  /** The name of the view to edit; undefined for a new one. */
  current: string | undefined
  onSave: (name: string) => void
  onDelete: () => void
}

function ViewForm({ views, current, onSave, onDelete }: ViewFormProps) {
  const [name, setName] = useState(current ?? '')
  const [problem, setProblem] = useState<string>()
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const found = nameProblem(views, name, current)
    setProblem(found)
    if (found === undefined) onSave(cleanName(name))
  }
  return (
    <form onSubmit={submit} className="grid gap-4">
      <Field
        label="Name"
        hint="Views are kept in this browser. To share one, share its address."
        error={problem}
      >
        {(control) => (
          <Input
            {...control}
            maxLength={NAME_LENGTH_MAX}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </Field>
      <div className="flex justify-between gap-2">
        {current === undefined ? (
          <span />
        ) : (
          <Button tone="danger" onClick={onDelete}>
            Delete view
          </Button>
        )}
        <Button tone="primary" type="submit">
          {current === undefined ? 'Save view' : 'Rename'}
        </Button>
      </div>
    </form>
  )
}
