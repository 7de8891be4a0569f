import type { Client } from './client.ts'
import type { Answer, Options, Path } from './operation.ts'

type Paged = { total: number; page: number; per_page: number }

/** The paths that return one page of a list. */
export type ListPath = {
  [P in Path<'GET'>]: Answer<'GET', P> extends Paged ? P : never
}[Path<'GET'>]

/** The element type of a list: that of the one array in its pages. */
export type Item<P extends ListPath> = ElementOf<Answer<'GET', P>>

export type ElementOf<A> = {
  [K in keyof A]: A[K] extends readonly (infer E)[] ? E : never
}[keyof A]

/** The largest page size that every list accepts. */
const PER_PAGE = 100

/**
 * Iterates over a list and fetches pages on demand, starting at `query.page`. Pages shift if items
 * are added or removed during the iteration, so an item may be returned twice or not at all.
 */
export async function* items<P extends ListPath>(
  client: Client,
  path: P,
  options: Options<'GET', P>,
): AsyncGenerator<Item<P>, void, undefined> {
  // The types alone say which options go with which list; at run time all lists are alike.
  const fetchPage = client.request as (m: string, p: string, o: object) => Promise<Paged>
  const query: { page?: number; per_page?: number } = Object(Reflect.get(options, 'query'))
  const perPage = query.per_page ?? PER_PAGE
  for (let page = query.page ?? 1; ; page += 1) {
    const call = { ...options, query: { ...query, page, per_page: perPage } }
    const answer = await fetchPage('GET', path, call)
    const elements = elementsOf<Item<P>>(answer)
    yield* elements
    if (elements.length === 0 || answer.page * answer.per_page >= answer.total) return
  }
}

/** The one array of a page. */
export function elementsOf<T>(answer: object): readonly T[] {
  const list: unknown = Object.values(answer).find(Array.isArray)
  return (list ?? []) as readonly T[]
}
