import { describe, expect, it } from 'vitest'
import { type Document, parseDocument } from '../../docs/parse-document.ts'
import { environmentOf, fill } from './fill.ts'
import { groupsOf, slugOf } from './guides.ts'

const FILES = import.meta.glob<string>('../../../../../docs/connect/*.md', {
  query: '?raw',
  import: 'default',
  eager: true,
})
const PAGES = new Map(
  Object.entries(FILES).map(([path, text]) => [path.split('/').at(-1) ?? '', parseDocument(text)]),
)
const SLUGS = [...PAGES.keys()].flatMap((name) => slugOf(name) ?? []).sort()

function read(slug: string): Document {
  const page = PAGES.get(`${slug}.md`)
  if (page === undefined) throw new Error(`no page ${slug}`)
  return page
}

describe('the pages of docs/connect', () => {
  it('are all linked from the index, under the title of the page', () => {
    const guides = groupsOf(read('README')).flatMap((group) => group.guides)
    expect(guides.map(({ slug }) => slug).sort()).toEqual(SLUGS)
    for (const { slug, name } of guides) expect(read(slug).title).toBe(name)
  })

  it.each(SLUGS)('have four parts: %s', (slug) => {
    const titles = read(slug).tokens.flatMap((token) =>
      token.type === 'heading' && token['depth'] === 2 ? [token['text']] : [],
    )
    expect(titles).toEqual([
      'What is governed and what is not',
      'Connect',
      'See it work',
      'Take it away',
    ])
  })
})

describe('the commands of the pages', () => {
  it.each(SLUGS)('can be pasted: %s', (slug) => {
    const code = read(slug).tokens.flatMap((token) =>
      token.type === 'code' && token['lang'] === '' ? String(token['text']).split('\n') : [],
    )
    // The packages are installed in a folder, not for the whole machine.
    expect(code.filter((line) => /^touchstone |-HOST/.test(line))).toEqual([])
    const files = code.flatMap((line) => /policy apply (\S+)/.exec(line)?.[1] ?? [])
    expect(files).toEqual([slug === 'mcp' ? 'no-writes.yaml' : 'no-shell.yaml'])
    const text = read(slug).tokens.map(({ raw }) => raw)
    expect(text.join('')).toContain(`Save this policy as \`${files[0]}\``)
  })
})

describe('a piece of code', () => {
  const filling = { slug: 'codex', origin: 'https://ts.acme.test', agentId: 'codex-desk' }

  it('gets the address and the agent', () => {
    const code = 'curl https://trust.example.com/v1 --agent codex-$(hostname) "codex-HOST"'
    expect(fill(code, filling)).toBe('curl https://ts.acme.test/v1 --agent codex-desk "codex-desk"')
    const unknown = { ...filling, agentId: undefined }
    expect(fill(code, unknown)).toBe(
      'curl https://ts.acme.test/v1 --agent codex-$(hostname) "codex-HOST"',
    )
  })

  it('starts with the variables that the command line reads', () => {
    expect(environmentOf(filling.origin, { key: 'tsk_1', agentId: 'codex-desk' })).toBe(
      [
        "export TOUCHSTONE_URL='https://ts.acme.test'",
        "export TOUCHSTONE_API_KEY='tsk_1'",
        "export TOUCHSTONE_AGENT='codex-desk'",
      ].join('\n'),
    )
  })
})
