import { type Document, parseDocument } from './parse-document.ts'

const ROOT = '../../../../docs/'

/** The texts, each loaded when it is read. */
const TEXTS = import.meta.glob<string>('../../../../docs/**/*.md', {
  query: '?raw',
  import: 'default',
})

/** The titles, of which the build keeps nothing else (documents-plugin.ts). */
const TITLES = import.meta.glob<string>('../../../../docs/**/*.md', {
  query: '?title',
  import: 'default',
  eager: true,
})

/** A document that does not exist has no title. */
export function titleOf(id: string): string | undefined {
  return TITLES[`${ROOT}${id}.md`]
}

/** Resolves to null for a document that does not exist. */
export async function loadDocument(id: string): Promise<Document | null> {
  const load = TEXTS[`${ROOT}${id}.md`]
  return load === undefined ? null : parseDocument(await load())
}
