import { describe, expect, it } from 'vitest'
import { BANNED_PHRASES } from './banned-phrases.ts'
import {
  checkFile,
  linkFindings,
  openingFindings,
  pathFindings,
  phraseFindings,
  type Repository,
  sectionFindings,
} from './word-rules.ts'

const FILES: Record<string, string> = {
  'docs/guide/run.md': '# Run it\n\n## Settings & ports\n\n## Settings & ports\n',
  'docs/spec/platform.md': '# Platform\n\n## 1. Conventions\n\n### 1.2 Order of checks\n',
  'docs/spec/evidence.md': '# Evidence\n\n## 3. Traces\n',
  'docs/guide/new.md': '',
  'README.md': '# Touchstone\n',
}

const repository: Repository = {
  exists: (path) => path in FILES || path === 'docs/guide',
  read: (path) => FILES[path] ?? '',
}

/** Composed, so that a search for old citations does not find these samples. */
const oldCitation = (document: string, section: string) => `${document} ${section}`

const messages = (findings: { line: number; message: string }[]) =>
  findings.map(({ line, message }) => `${line}: ${message}`)

describe('banned phrases', () => {
  it('names the term to use instead', () => {
    expect(messages(phraseFindings('a\n// One that waits in a ring.'))).toEqual([
      '2: "waits in a ring": say instead deadlocks',
    ])
  })

  it('finds a phrase across the lines of a comment and in any case', () => {
    expect(phraseFindings('/**\n * Waits in\n * a ring.\n */')).toHaveLength(1)
    expect(phraseFindings('// is another\n// than this')).toHaveLength(1)
  })

  it('matches whole words only', () => {
    expect(phraseFindings('nobody who asked')).toEqual([])
  })

  it('bans no single word, and lists each phrase in lower case and in order', () => {
    const phrases = Object.keys(BANNED_PHRASES)
    expect(phrases.filter((phrase) => !phrase.includes(' '))).toEqual([])
    expect(phrases.map((phrase) => phrase.toLowerCase()).sort()).toEqual(phrases)
  })
})

describe('comment openings', () => {
  const openings = (path: string, text: string) => messages(openingFindings({ path, text }))

  it.each([
    ['a.ts', '/** What it does. */'],
    ['a.ts', '/**\n * Who may read.\n */'],
    ['a.ts', 'const a = 1 // Of the caller.'],
    ['a.tsx', '{/* Those without a name. */}'],
    ['a.rs', '/// Whose key it is.'],
    ['a.sql', '-- That which is kept.'],
    ['a.yaml', 'a: 1 # Whoever reads.'],
    ['a.css', '/* What is wide. */'],
  ])('are reported in %s: %s', (path, text) => {
    expect(openings(path, text)).toHaveLength(1)
  })

  it('are checked only on the first line of a comment', () => {
    expect(openings('a.ts', '// Reads\n// What follows.')).toEqual([])
    expect(openings('a.ts', '/**\n * Reads\n * What follows.\n */')).toEqual([])
    expect(openings('a.ts', '// Reads.\na()\n// What follows.')).toHaveLength(1)
  })

  it('are ignored in Markdown, in URLs and inside words', () => {
    expect(openings('a.md', '# What it is')).toEqual([])
    expect(openings('a.ts', "const a = 'https://What'")).toEqual([])
    expect(openings('a.ts', '// Whole numbers only, often.\na() // Offsets.')).toEqual([])
  })
})

describe('links', () => {
  const links = (text: string, path = 'docs/guide/new.md') =>
    messages(linkFindings({ path, text }, repository))

  it('can point to a file, a folder, a heading or another host', () => {
    const text = [
      '[a](run.md) [b](../guide) [c](run.md#settings--ports) [d](run.md#settings--ports-1)',
      '[e](https://example.com/x.md) [f](#here) ![g](../../README.md "title")',
      '# Here',
    ].join('\n')
    expect(links(text)).toEqual([])
  })

  it('are reported if the file or the heading does not exist', () => {
    expect(links('\n[a](walk.md)')).toEqual(['2: link to nowhere: there is no docs/guide/walk.md'])
    expect(links('[a](run.md#stop)')).toEqual([
      '1: link to nowhere: docs/guide/run.md has no heading for #stop',
    ])
    expect(links('[a]: walk.md')).toHaveLength(1)
  })

  it('are ignored in code', () => {
    expect(links('`[a](walk.md)`\n```md\n[a](walk.md)\n```\n')).toEqual([])
  })

  it('include paths under docs named in source files', () => {
    const paths = (text: string) => messages(pathFindings({ path: 'a.ts', text }, repository))
    expect(paths('// See docs/guide/run.md.')).toEqual([])
    expect(paths('// See docs/guide/run.md#stop.')).toHaveLength(1)
    expect(paths('// See docs/walk.md.')).toEqual(['1: link to nowhere: there is no docs/walk.md'])
    expect(paths('// See https://example.com/docs/walk.md.')).toEqual([])
  })
})

describe('sections', () => {
  const sections = (text: string, path = 'packages/a.ts') =>
    messages(sectionFindings({ path, text }, repository))

  it('are accepted with a public document or an existing section of the specification', () => {
    expect(sections('// RFC 6962 §2.1 and §2.2, FIPS 180-4 §5')).toEqual([])
    expect(sections('// spec: platform §1.2, §1')).toEqual([])
    expect(sections('/**\n * Limits (spec:\n * platform §1.2).\n */')).toEqual([])
  })

  it('are reported without a document, and by the old number of a document', () => {
    expect(sections('// §2.1')).toEqual([
      '1: § without a document: cite as `spec: <area> §<number>`',
    ])
    expect(sections(`// ${oldCitation('04', '§1.2')}`)).toEqual([
      '1: old citation: cite as `spec: <area> §<number>`',
    ])
  })

  it('are reported if the file or the number does not exist', () => {
    expect(sections('// spec: nothing §1')).toEqual(['1: there is no docs/spec/nothing.md'])
    expect(sections('// spec: platform §1.3')).toEqual([
      '1: docs/spec/platform.md has no section 1.3',
    ])
  })

  it('can be without a document or with an area within the specification', () => {
    const inSpec = (text: string) => sections(text, 'docs/spec/evidence.md')
    expect(inSpec('## 3. Traces\nSee §3 and platform §1.2.')).toEqual([])
    expect(inSpec('## 3. Traces\nSee §4.')).toEqual(['2: docs/spec/evidence.md has no section 4'])
  })
})

it('reports the findings of a file in the order of its lines', () => {
  const text = `// ${oldCitation('01', '§1')}\n// waits in a ring\n\n// What it is.`
  expect(checkFile({ path: 'a.ts', text }, repository).map(({ line }) => line)).toEqual([1, 2, 4])
})
