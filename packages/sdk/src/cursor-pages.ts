import type { Client } from './client.ts'
import type { Answer, Options, Path } from './operation.ts'
import { type ElementOf, elementsOf } from './pages.ts'

type Continued = { next_cursor: string | null }

/** The paths of lists that are continued by a cursor. */
type CursorListPath = {
  [P in Path<'GET'>]: Answer<'GET', P> extends Continued ? P : never
}[Path<'GET'>]

/** The largest page size that these lists accept. */
const LIMIT = 200

/**
 * Iterates over a list and fetches pages on demand, starting at `query.cursor`; `query.limit` is the
 * size of a page. Unlike numbered pages, a cursor does not shift when items are added.
 */
export async function* cursorItems<P extends CursorListPath>(
  client: Client,
  path: P,
  options: Options<'GET', P>,
): AsyncGenerator<ElementOf<Answer<'GET', P>>, void, undefined> {
  // The types alone say which options go with which list; at run time all lists are alike.
  const fetchPage = client.request as (m: string, p: string, o: object) => Promise<Continued>
  const query: { cursor?: string; limit?: number } = Object(Reflect.get(options, 'query'))
  const limit = query.limit ?? LIMIT
  let cursor: string | null | undefined = query.cursor
  do {
    const call = { ...options, query: { ...query, limit, cursor } }
    const answer: Continued = await fetchPage('GET', path, call)
    yield* elementsOf<ElementOf<Answer<'GET', P>>>(answer)
    cursor = answer.next_cursor
  } while (cursor !== null)
}
