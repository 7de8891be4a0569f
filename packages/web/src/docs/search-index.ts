import type { Section } from './parse-document.ts'

/** The sections of all documents but decision records, which the build extracts. */
const SECTIONS = import.meta.glob<readonly Section[]>(
  ['../../../../docs/**/*.md', '!../../../../docs/adr/0*.md'],
  { query: '?sections', import: 'default', eager: true },
)

export type Operation = { method: string; path: string; summary: string; tag: string; id: string }

const OPERATIONS = import.meta.glob<readonly Operation[]>('../../../../docs/api/openapi.json', {
  query: '?operations',
  import: 'default',
  eager: true,
})

export type SearchEntry = { address: string; title: string; heading: string; text: string }

/** Everything that the search finds. Large, so import it when somebody searches. */
export const SEARCH_ENTRIES: readonly SearchEntry[] = [
  ...Object.entries(SECTIONS).flatMap(([file, sections]) => entriesOf(idOf(file), sections)),
  ...Object.values(OPERATIONS).flat().map(entryOf),
]

function idOf(file: string): string {
  return file.slice('../../../../docs/'.length, -'.md'.length)
}

function entriesOf(id: string, sections: readonly Section[]): SearchEntry[] {
  const title = sections[0]?.heading ?? ''
  return sections.map(({ heading, slug, text }) => ({
    address: `/docs/${id}${slug === '' ? '' : `#${slug}`}`,
    title,
    heading,
    text,
  }))
}

function entryOf({ method, path, summary, tag, id }: Operation): SearchEntry {
  return {
    address: `/docs/reference/${encodeURIComponent(tag)}#${id}`,
    title: 'API reference',
    heading: `${method} ${path}`,
    text: summary,
  }
}
