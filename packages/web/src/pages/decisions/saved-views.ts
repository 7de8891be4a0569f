import { type DecisionFilters, filtersOf, readDecisionSearch } from './search.ts'

/** A named set of filters. */
export type SavedView = { name: string; filters: DecisionFilters }

/** The name of the view without filters, which is always there. */
export const ALL_DECISIONS = 'All decisions'

export const VIEWS_MAX = 20
export const NAME_LENGTH_MAX = 40

/** Reads what the browser kept. What is not a view any more, or not of this version, is left out. */
export function readViews(text: string | null): SavedView[] {
  const found = parsed(text)
  if (!Array.isArray(found)) return []
  return found.flatMap((view) => toView(view) ?? []).slice(0, VIEWS_MAX)
}

function parsed(text: string | null): unknown {
  try {
    return text === null ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

function toView(value: unknown): SavedView | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const name = 'name' in value && typeof value.name === 'string' ? cleanName(value.name) : ''
  const filters = 'filters' in value ? value.filters : undefined
  if (name === '' || typeof filters !== 'object' || filters === null) return undefined
  return { name, filters: filtersOf(readDecisionSearch({ ...filters })) }
}

export function cleanName(name: string): string {
  return [...name.trim()].slice(0, NAME_LENGTH_MAX).join('')
}

/** Why a view cannot have this name; undefined if it can. */
export function nameProblem(
  views: readonly SavedView[],
  name: string,
  current?: string,
): string | undefined {
  const clean = cleanName(name)
  if (clean === '') return 'Enter a name.'
  const others = views.map((view) => view.name).filter((taken) => taken !== current)
  if ([ALL_DECISIONS, ...others].includes(clean)) return 'Another view has this name.'
  const isNew = current === undefined
  return isNew && views.length >= VIEWS_MAX
    ? `At most ${VIEWS_MAX} views can be saved. Delete one first.`
    : undefined
}

export function addView(views: readonly SavedView[], view: SavedView): SavedView[] {
  return [...views, { name: cleanName(view.name), filters: filtersOf(view.filters) }]
}

export function renameView(views: readonly SavedView[], from: string, to: string): SavedView[] {
  return views.map((view) => (view.name === from ? { ...view, name: cleanName(to) } : view))
}

export function deleteView(views: readonly SavedView[], name: string): SavedView[] {
  return views.filter((view) => view.name !== name)
}

/** The view that has exactly these filters. */
export function viewOf(
  views: readonly SavedView[],
  filters: DecisionFilters,
): SavedView | undefined {
  const wanted = keyOf(filters)
  return views.find((view) => keyOf(view.filters) === wanted)
}

function keyOf(filters: DecisionFilters): string {
  return JSON.stringify(Object.entries(filtersOf(filters)).sort(([a], [b]) => (a < b ? -1 : 1)))
}
