import type { Tokens } from 'marked'
import type { Document } from '../../docs/parse-document.ts'

export type GuideLink = { slug: string; name: string }

/** A section of the index with the pages that it links. */
export type GuideGroup = { title: string; guides: readonly GuideLink[] }

export function groupsOf({ tokens }: Document): GuideGroup[] {
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
