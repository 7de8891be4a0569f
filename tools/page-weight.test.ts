import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { dirname } from 'node:path/posix'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

/** Compressed script and CSS. */
const FIRST_VIEW_BYTES_MAX = 180_000
const PAGE_BYTES_MAX = 60_000

/** Parts of more than a page that load after the page which asks for them, see docs/adr/0097. */
const LARGE_PARTS: Readonly<Record<string, number>> = {
  'src/ui/codemirror.ts': 145_000,
  'src/docs/search-index.ts': 260_000,
}

const WEB = fileURLToPath(new URL('../packages/web', import.meta.url))
const VITE = fileURLToPath(new URL('../node_modules/vite/bin/vite.js', import.meta.url))

/** A module of the build, by its path below the package. */
type Built = {
  file: string
  isEntry?: boolean
  imports?: readonly string[]
  dynamicImports?: readonly string[]
  css?: readonly string[]
}

let dir: string
let modules: ReadonlyMap<string, Built>
/** The modules that every page has loaded. */
let frame: ReadonlySet<string>

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'touchstone-pages-'))
  await promisify(execFile)(process.execPath, [VITE, 'build', '--manifest', '--outDir', dir], {
    cwd: WEB,
    env: { ...process.env, NODE_ENV: 'production' },
  })
  const manifest = JSON.parse(readFileSync(join(dir, '.vite/manifest.json'), 'utf8'))
  modules = new Map(Object.entries<Built>(manifest))
  frame = withImports([...modules].flatMap(([name, { isEntry }]) => (isEntry ? [name] : [])))
})

afterAll(() => rmSync(dir, { recursive: true, force: true }))

/** The modules that are loaded together with these. */
function withImports(names: readonly string[], loaded = new Set<string>()): Set<string> {
  for (const name of names) {
    if (loaded.has(name)) continue
    loaded.add(name)
    withImports(modules.get(name)?.imports ?? [], loaded)
  }
  return loaded
}

const lazyOf = (names: Iterable<string>) =>
  new Set([...names].flatMap((name) => modules.get(name)?.dynamicImports ?? []))

function bytesOf(names: Iterable<string>): number {
  const built = [...names].flatMap((name) => modules.get(name) ?? [])
  const files = new Set(built.flatMap(({ file, css }) => [file, ...(css ?? [])]))
  const sizes = [...files].map((file) => gzipSync(readFileSync(join(dir, file)), { level: 6 }))
  return sizes.reduce((sum, { length }) => sum + length, 0)
}

/** The bytes that these add to the frame. */
const addedBy = (names: readonly string[]) =>
  bytesOf([...withImports(names)].filter((name) => !frame.has(name)))

/** The modules that the routes load, which are the ones in `pages/` that the frame imports lazily. */
function pages(): { name: string; layouts: string[] }[] {
  const routed = [...lazyOf(frame)].filter((name) => name.startsWith('src/pages/'))
  return routed.map((name) => ({
    name,
    // Most pages of a folder with a layout are shown in it.
    layouts: routed.filter(
      (other) => other.endsWith('-layout.tsx') && dirname(other) === dirname(name),
    ),
  }))
}

describe('the dashboard', () => {
  it.each(['public/home/home-page', 'account/sign-in-page'])(
    `loads at most ${FIRST_VIEW_BYTES_MAX} bytes if %s is the first view`,
    (path) => {
      const name = `src/pages/${path}.tsx`
      expect(pages().map((page) => page.name)).toContain(name)
      const bytes = bytesOf(withImports([...frame, name]))
      process.stdout.write(`${bytes} bytes of the first view: ${name}\n`)
      expect(bytes).toBeLessThanOrEqual(FIRST_VIEW_BYTES_MAX)
    },
  )

  it(`loads at most ${PAGE_BYTES_MAX} bytes more for each page`, () => {
    const weighed = pages().map(({ name, layouts }) => ({
      name,
      bytes: addedBy([name, ...layouts]),
    }))
    expect(weighed.length).toBeGreaterThan(50)
    const heaviest = weighed.toSorted((one, other) => other.bytes - one.bytes).slice(0, 5)
    for (const { name, bytes } of heaviest) process.stdout.write(`${bytes} bytes more: ${name}\n`)
    expect(weighed.filter(({ bytes }) => bytes > PAGE_BYTES_MAX)).toEqual([])
  })

  it('loads no larger part after a page, except the ones that are known', () => {
    const routed = new Set(pages().map(({ name }) => name))
    const parts = [...lazyOf(modules.keys())]
      .filter((name) => !routed.has(name))
      .map((name) => ({ name, bytes: addedBy([name]) }))
    const large = parts.filter(({ bytes }) => bytes > PAGE_BYTES_MAX)
    expect(large.map(({ name }) => name).sort()).toEqual(Object.keys(LARGE_PARTS).sort())
    for (const { name, bytes } of large) {
      process.stdout.write(`${bytes} bytes later: ${name}\n`)
      expect(bytes, name).toBeLessThanOrEqual(LARGE_PARTS[name] ?? 0)
    }
  })
})
