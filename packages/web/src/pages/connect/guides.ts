import { useQuery } from '@tanstack/react-query'
import { lexer, type Token, type Tokens } from 'marked'

/** The pages of docs/connect, which the build includes. */
const FILES = import.meta.glob<string>('../../../../../docs/connect/*.md', {
  query: '?raw',
  import: 'default',
})

const INDEX = 'README'

export type Guide = { title: string; tokens: readonly Token[] }

export type GuideLink = { slug: string; name: string }

/** A section of the index with the pages that it links. */
export type GuideGroup = { title: string; guides: readonly GuideLink[] }

/** Resolves to null for a page that does not exist. */
async function loadGuide(name: string): Promise<Guide | null> {
  const load = FILES[`../../../../../docs/connect/${name}.md`]
  return load === undefined ? null : guideOf(await load())
}

export function guideOf(text: string): Guide {
  const [first, ...tokens] = lexer(text)
  if (first?.type !== 'heading') throw new Error('a page begins with its title')
  return { title: first['text'], tokens }
}

export function groupsOf({ tokens }: Guide): GuideGroup[] {
  const groups: { title: string; guides: GuideLink[] }[] = []
  for (const token of tokens) {
    if (token.type === 'heading') groups.push({ title: token['text'], guides: [] })
    if (token.type === 'table') groups.at(-1)?.guides.push(...linksIn(token as Tokens.Table))
  }
  return groups.filter(({ guides }) => guides.length > 0)
}

/** The first column of a table links the pages. */
function linksIn({ rows }: Tokens.Table): GuideLink[] {
  const first = rows.flatMap(([cell]) => cell?.tokens ?? [])
  return first.flatMap((token) => {
    if (token.type !== 'link') return []
    const slug = slugOf(token['href'])
    return slug === undefined ? [] : [{ slug, name: token['text'] }]
  })
}

/** Undefined for a link to anything else than another page. */
export function slugOf(href: string): string | undefined {
  return /^([a-z0-9-]+)\.md$/.exec(href)?.[1]
}

/** The index has no slug, so it is not one of the pages. */
export const useGuide = (slug: string) => useFile(slugOf(`${slug}.md`) ?? '')

export const useGuideIndex = () => useFile(INDEX)

function useFile(name: string) {
  return useQuery({
    queryKey: ['connect guide', name],
    queryFn: () => loadGuide(name),
    staleTime: Number.POSITIVE_INFINITY,
  })
}
