import { readdir, readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { HELP_TARGETS, helpFor } from '../shell/help.ts'
import { CHAPTERS, REFERENCE } from './contents.ts'
import { findSections } from './find-sections.ts'
import { linkTarget } from './link-target.ts'
import { parseDocument, sectionsOf } from './parse-document.ts'
import { createSlugger } from './slug.ts'

const ROOT = new URL('../../../../docs/', import.meta.url)
const files = (await readdir(ROOT, { recursive: true }))
  .map((name) => name.replaceAll('\\', '/'))
  .filter((name) => name.endsWith('.md'))
const ids = files.map((name) => name.slice(0, -'.md'.length))
const sections = new Map(
  await Promise.all(
    files.map(async (name) => {
      const text = await readFile(new URL(name, ROOT), 'utf8')
      return [name.slice(0, -'.md'.length), sectionsOf(parseDocument(text))] as const
    }),
  ),
)

/** Decision records are reached from their index. */
const isRecord = (id: string) => /^adr\/\d/.test(id)

describe('the contents', () => {
  it('have every document once', () => {
    const listed = CHAPTERS.flatMap((chapter) => chapter.ids)
    expect(listed.filter((id) => id !== REFERENCE).sort()).toEqual(
      ids.filter((id) => !isRecord(id)).sort(),
    )
  })
})

/** Whether an address in the dashboard leads to a document and a section that exist. */
function leadsSomewhere(target: string): boolean {
  const [, to = '', anchor = ''] = /^\/docs\/([^#]+)#?(.*)$/.exec(target) ?? []
  const found = sections.get(to)
  return anchor === '' ? found !== undefined : found?.some(({ slug }) => slug === anchor) === true
}

describe('links between documents', () => {
  it.each(ids)('of %s lead to documents and sections that exist', async (id) => {
    const text = await readFile(new URL(`${id}.md`, ROOT), 'utf8')
    const hrefs = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, href = '']) => href)
    const targets = hrefs.map((href) => linkTarget(id, href) ?? '')
    const inside = targets.filter((target) => target.startsWith('/docs/'))
    expect(inside.filter((target) => !leadsSomewhere(target))).toEqual([])
  })

  it.each([
    ['guide/run', 'sign-in.md', '/docs/guide/sign-in'],
    ['guide/run', '../spec/platform.md#24-x', '/docs/spec/platform#24-x'],
    ['guide/run', '#e-mail', '/docs/guide/run#e-mail'],
    ['glossary', 'guide/run.md', '/docs/guide/run'],
    ['guide/run', 'https://example.com/a', 'https://example.com/a'],
    ['guide/run', '../../README.md', undefined],
    ['guide/run', 'desk-policy.yaml', undefined],
  ])('from %s to %s are %s', (from, href, target) => {
    expect(linkTarget(from, href)).toBe(target)
  })
})

describe('the help of pages', () => {
  it('is a document or a section that exists', () => {
    expect(HELP_TARGETS.filter((target) => !leadsSomewhere(`/docs/${target}`))).toEqual([])
  })

  it.each([
    ['/o/org-1', '/docs/guide/dashboard'],
    ['/o/org-1/agents', '/docs/guide/agents'],
    ['/o/org-1/agents/desk/control', '/docs/guide/containment'],
    ['/o/org-1/settings/api-keys', '/docs/guide/sign-in#api-keys'],
  ])('of %s is %s', (path, help) => {
    expect(helpFor(path)).toBe(help)
  })
})

describe('slugs', () => {
  it('are those of GitHub', () => {
    const slugOf = createSlugger()
    expect(['E-mail', '2.4 Local identity', 'A `code` & more', 'E-mail'].map(slugOf)).toEqual([
      'e-mail',
      '24-local-identity',
      'a-code--more',
      'e-mail-1',
    ])
  })
})

describe('findSections', () => {
  const entry = (heading: string, text: string) => ({
    address: `/docs/${heading}`,
    title: 'Guide',
    heading,
    text,
  })
  const entries = [
    entry('Backup', 'Stop the service first. Then copy the folder that holds the database.'),
    entry('Database', 'Touchstone brings its own.'),
    entry('Keys', 'A key opens one organisation.'),
  ]

  it('finds all words, headings first, with the text around them', () => {
    expect(findSections(entries, 'database').map((found) => found.entry.heading)).toEqual([
      'Database',
      'Backup',
    ])
    expect(findSections(entries, 'COPY stop')[0]?.excerpt).toContain('copy the folder')
    expect(findSections(entries, 'keys backup')).toEqual([])
    expect(findSections(entries, ' ')).toEqual([])
  })
})
