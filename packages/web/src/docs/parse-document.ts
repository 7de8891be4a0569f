import { lexer, type Token } from 'marked'
import { createSlugger } from './slug.ts'

/** One file of the documentation. */
export type Document = { title: string; tokens: readonly Token[] }

/** A heading with the text below it, up to the next heading. */
export type Section = { heading: string; slug: string; text: string }

export function parseDocument(markdown: string): Document {
  const [first, ...tokens] = lexer(markdown)
  if (first?.type !== 'heading') throw new Error('a document begins with its title')
  return { title: plainText(first), tokens }
}

/** The sections for the search. The first one is the introduction, with the title as its heading. */
export function sectionsOf({ title, tokens }: Document): Section[] {
  const slugOf = createSlugger()
  const sections: Section[] = [{ heading: title, slug: '', text: '' }]
  for (const token of tokens) {
    const last = sections.at(-1)
    if (token.type === 'heading') {
      const heading = plainText(token)
      sections.push({ heading, slug: slugOf(heading), text: '' })
    } else if (last !== undefined && token.type !== 'code') {
      last.text = `${last.text} ${plainText(token)}`.trim()
    }
  }
  return sections
}

type Parent = {
  type?: string
  text?: string
  tokens?: readonly Token[]
  items?: readonly Token[]
  header?: readonly Parent[]
  rows?: readonly (readonly Parent[])[]
}

/** The text of a token and all that it contains, without marks. */
export function plainText(token: Token | Parent): string {
  const { text = '', tokens, items, header = [], rows = [] } = token as Parent
  if (header.length > 0) return [...header, ...rows.flat()].map(plainText).join(' ')
  if (items !== undefined) return items.map(plainText).join(' ')
  return tokens === undefined ? text : tokens.map(plainText).join('')
}
