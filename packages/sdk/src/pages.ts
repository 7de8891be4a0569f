import type { Client } from './client.ts'
import type { Answer, Options, Path } from './operation.ts'

type Paged = { total: number; page: number; per_page: number }

/** The paths that answer with a page of a list. */
export type ListPath = {
  [P in Path<'GET'>]: Answer<'GET', P> extends Paged ? P : never
}[Path<'GET'>]

/** What a list has many of: the elements of the one array in its pages. */
export type Item<P extends ListPath> = ElementOf<Answer<'GET', P>>

type ElementOf<A> = { [K in keyof A]: A[K] extends readonly (infer E)[] ? E : never }[keyof A]

/** The most that every list gives at once. */
const PER_PAGE = 100

/**
 * Everything in a list, page after page, each fetched when it is needed. `query.page` says where to
 * begin. What is added or removed meanwhile can shift the pages: an item may come twice or not at
 * all.
 */
export async function* items<P extends ListPath>(
  client: Client,
  path: P,
  options: Options<'GET', P>,
): AsyncGenerator<Item<P>, void, undefined> {
  // Which options go with which list is a matter of types alone.
  const fetchPage = client.request as (m: string, p: string, o: object) => Promise<Paged>
  const query: { page?: number; per_page?: number } = Object(Reflect.get(options, 'query'))
  const perPage = query.per_page ?? PER_PAGE
  for (let page = query.page ?? 1; ; page += 1) {
    const call = { ...options, query: { ...query, page, per_page: perPage } }
    const answer = await fetchPage('GET', path, call)
    const found = elementsOf<Item<P>>(answer)
    yield* found
    if (found.length === 0 || answer.page * answer.per_page >= answer.total) return
  }
}

function elementsOf<T>(answer: Paged): readonly T[] {
  const list: unknown = Object.values(answer).find(Array.isArray)
  return (list ?? []) as readonly T[]
}
