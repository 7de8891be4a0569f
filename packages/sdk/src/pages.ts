import type { Client } from './client.ts'
import type { Answer, Options, Path } from './operation.ts'

type Paged = { total: number; page: number; per_page: number; offset?: number }

/** The paths that return one page of a list. */
export type ListPath = {
  [P in Path<'GET'>]: Answer<'GET', P> extends Paged ? P : never
}[Path<'GET'>]

/** The element type of a list: that of the one array in its pages. */
export type Item<P extends ListPath> = ElementOf<Answer<'GET', P>>

export type ElementOf<A> = {
  [K in keyof A]-?: A[K] extends readonly (infer E)[] ? E : never
}[keyof A]

/** The largest page size that every list accepts. */
const PER_PAGE = 100

type Query = { page?: number; per_page?: number; limit?: number; offset?: number }

/**
 * Iterates over a list and fetches pages on demand, starting at `query.page` or `query.offset`;
 * `query.per_page` or `query.limit` is the size of a page. Pages shift if items are added or removed
 * during the iteration, so an item may be returned twice or not at all.
 */
export async function* items<P extends ListPath>(
  client: Client,
  path: P,
  options: Options<'GET', P>,
): AsyncGenerator<Item<P>, void, undefined> {
  // The types alone say which options go with which list; at run time all lists are alike.
  const fetchPage = client.request as (m: string, p: string, o: object) => Promise<Paged>
  let query: Query | undefined = startOf(Object(Reflect.get(options, 'query')))
  while (query !== undefined) {
    const answer: Paged = await fetchPage('GET', path, { ...options, query })
    const elements = elementsOf<Item<P>>(answer)
    yield* elements
    query = elements.length === 0 ? undefined : nextOf(query, answer)
  }
}

function startOf(query: Query): Query {
  const byOffset = query.limit !== undefined || query.offset !== undefined
  return byOffset
    ? { ...query, limit: query.limit ?? PER_PAGE, offset: query.offset ?? 0 }
    : { ...query, page: query.page ?? 1, per_page: query.per_page ?? PER_PAGE }
}

/** The service may have lowered the size of a page. */
function nextOf(query: Query, { total, page, per_page, offset }: Paged): Query | undefined {
  if (offset === undefined) {
    return page * per_page >= total ? undefined : { ...query, page: page + 1 }
  }
  const next = offset + per_page
  return next >= total ? undefined : { ...query, offset: next }
}

/** The one array of a page. */
export function elementsOf<T>(answer: object): readonly T[] {
  const list: unknown = Object.values(answer).find(Array.isArray)
  return (list ?? []) as readonly T[]
}
