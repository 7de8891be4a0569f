// npm run pack: writes the tarballs of all published packages to dist/.
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, relative, sep } from 'node:path'
import { assertNode, ensureBuilt, ensureInstalled, npm, ROOT } from './setup.mjs'

/** Folders of the repository that a package contains a copy of, beside its own files. */
const SHARED = { server: ['migrations'], cli: ['packs'] }

/** Compiled files that packages contain with their dependencies, of which they use a fraction. */
const BUNDLED = { server: [{ file: 'chain/evm', dependencies: ['viem'] }] }

/** Compiled TypeScript: these leave nothing of a deleted source in a tarball. */
const COMPILED = /\.(js|d\.ts)$/

assertNode()
ensureInstalled()
ensureBuilt()
const target = join(ROOT, 'dist')
rmSync(target, { recursive: true, force: true })
mkdirSync(target)
const stage = mkdtempSync(join(tmpdir(), 'touchstone-pack-'))
try {
  const names = ['protocol', 'prover', 'sdk', 'web', 'server', 'cli']
  const folders = await Promise.all(names.map(stagePackage))
  process.exitCode = npm(['pack', '--loglevel=error', '--pack-destination', target, ...folders])
} finally {
  rmSync(stage, { recursive: true, force: true })
}

/** Copies what a package publishes; npm then packs exactly that. */
async function stagePackage(name) {
  const from = join(ROOT, 'packages', name)
  const to = join(stage, name)
  const manifest = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8'))
  for (const folder of manifest.files) {
    // The dashboard is bundled, so its files do not correspond to sources.
    const filter = (path) => {
      const own = relative(from, path)
      return name === 'web' ? !isHidden(own) : isPublished(own, from)
    }
    cpSync(join(from, folder), join(to, folder), { recursive: true, filter })
  }
  for (const folder of SHARED[name] ?? []) {
    const filter = (path) => !isHidden(relative(ROOT, path))
    cpSync(join(ROOT, folder), join(to, folder), { recursive: true, filter })
  }
  if (existsSync(join(from, 'README.md'))) cpSync(join(from, 'README.md'), join(to, 'README.md'))
  cpSync(join(ROOT, 'LICENSE'), join(to, 'LICENSE'))
  for (const { file, dependencies } of BUNDLED[name] ?? []) {
    await bundle(join(from, 'src', `${file}.ts`), join(to, 'dist', file))
    for (const dependency of dependencies) delete manifest.dependencies[dependency]
  }
  const files = [...manifest.files, ...(SHARED[name] ?? [])]
  const published = publishedManifest({ ...manifest, files })
  writeFileSync(join(to, 'package.json'), `${JSON.stringify(published, null, 2)}\n`)
  return to
}

/** Replaces a compiled file, and writes the licences of what it contains beside it. */
async function bundle(source, to) {
  const { build } = await import('vite')
  await build({
    configFile: false,
    root: ROOT,
    logLevel: 'warn',
    resolve: { conditions: ['node', 'import', 'default'] },
    ssr: { noExternal: true, external: ['@touchstone/protocol'] },
    build: {
      ssr: source,
      outDir: dirname(to),
      emptyOutDir: false,
      minify: true,
      target: 'node20',
      license: { fileName: `${basename(to)}.licenses.md` },
      rollupOptions: { output: { entryFileNames: `${basename(to)}.js`, codeSplitting: false } },
    },
  })
}

/** Data folders, files of settings and the like, which are in no list of ours. */
function isHidden(path) {
  return path.split(sep).some((part) => part.startsWith('.'))
}

/** Source maps lead to sources that a tarball does not contain, and tsc never deletes its output. */
function isPublished(path, folder) {
  if (path.endsWith('.map') || isHidden(path)) return false
  if (!path.startsWith('dist') || !COMPILED.test(path)) return true
  const source = join(folder, 'src', relative('dist', path).replace(COMPILED, ''))
  return existsSync(`${source}.ts`)
}

/** Without what only the repository has: development dependencies, scripts and TypeScript sources. */
function publishedManifest({ devDependencies: _dev, scripts: _scripts, ...manifest }) {
  return {
    ...manifest,
    ...(manifest.exports && { exports: withoutSources(manifest.exports) }),
    ...(manifest.imports && { imports: withoutSources(manifest.imports) }),
  }
}

function withoutSources(conditions) {
  if (typeof conditions === 'string') return conditions
  const kept = Object.entries(conditions).filter(([condition]) => condition !== 'source')
  return Object.fromEntries(kept.map(([condition, value]) => [condition, withoutSources(value)]))
}
