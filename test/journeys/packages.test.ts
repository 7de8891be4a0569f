import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, readdir, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { HOOK_CLIENTS } from '@touchstone/sdk/hooks/clients'
import { beforeAll, describe, expect, it } from 'vitest'
import { sharedChromium } from '#harness/chromium.ts'
import { connectAndDisconnect } from '#harness/connect-journey.ts'
import { signIn } from '#harness/console.ts'
import { eventually } from '#harness/eventually.ts'
import { outputOf, plainEnv, runIn, typeIn } from '#harness/installed.ts'
import { onFileFinished } from '#harness/on-file-finished.ts'
import { blocksOf } from '#harness/reader.ts'
import { temporaryDir } from '#harness/temporary-dir.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const TARBALLS = join(ROOT, 'dist')
const GUIDE = 'docs/guide/install.md'
const [pack = '', install = '', serve = '', login = '', stop = ''] = await blocksOf(GUIDE)
/** Adapters that call functions of their framework, which is an optional peer. */
const NEED_FRAMEWORK = ['./adk', './langchain', './langgraph', './strands']

/** spec: connect §4 */
const INSTALLED_BYTES_MAX = 200_000_000

type Manifest = {
  peerDependencies?: Record<string, string>
  name: string
  exports?: Record<string, unknown>
  imports?: Record<string, unknown>
} & Record<string, unknown>

let tarballs: string[]
/** An empty folder in which every tarball was installed. */
let folder: string

beforeAll(async () => {
  for (const name of ['server', 'cli']) {
    const data = join(ROOT, 'packages', name, 'bin', '.touchstone')
    onFileFinished(() => rm(data, { recursive: true, force: true }))
    await mkdir(data, { recursive: true })
    await writeFile(join(data, 'credentials.json'), '{}\n')
  }
  await typeIn(ROOT, pack)
  tarballs = await readdir(TARBALLS)
  folder = await realpath(await temporaryDir())
  await typeIn(folder, install.replace('../touchstone/dist', TARBALLS))
})

const manifestOf = async (dir: string): Promise<Manifest> =>
  JSON.parse(await readFile(join(dir, 'package.json'), 'utf8'))

/** Folders of our own packages in a folder where they were installed. */
async function ownPackages(where: string): Promise<string[]> {
  const scoped = await readdir(join(where, 'node_modules/@touchstone'))
  return ['touchstone', ...scoped.map((name) => `@touchstone/${name}`)]
    .map((name) => join(where, 'node_modules', name))
    .filter(existsSync)
}

/** The file paths in a member `exports` or `imports`. */
function pathsIn(conditions: unknown): string[] {
  if (typeof conditions === 'string') return [conditions]
  return Object.values(Object(conditions)).flatMap(pathsIn)
}

async function filesIn(dir: string): Promise<string[]> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true })
  return entries.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name))
}

describe('the installed packages', () => {
  it('contain what their manifests name, and nothing of the repository’s own', async () => {
    const own = await ownPackages(folder)
    expect(own.length).toBe(tarballs.length)
    for (const dir of own) {
      const manifest = await manifestOf(dir)
      for (const member of ['devDependencies', 'scripts', 'private']) {
        expect(manifest, manifest.name).not.toHaveProperty(member)
      }
      const files = (await filesIn(dir)).map((file) => file.slice(dir.length + 1))
      expect(files).toContain('LICENSE')
      for (const path of pathsIn({ ...manifest.exports, ...manifest.imports })) {
        const pattern = new RegExp(`^${path.slice(2).replaceAll('.', '\\.').replace('*', '.+')}$`)
        expect(files.filter((file) => pattern.test(file))).not.toEqual([])
      }
      for (const [conditions] of JSON.stringify(manifest).matchAll(/"source":/g)) {
        expect.fail(`${manifest.name} has the condition ${conditions}`)
      }
      const foreign = /(?<!\.d)\.tsx?$|\.map$|\.tsbuildinfo$|\.(test|fixture)\./
      expect(files.filter((file) => foreign.test(file))).toEqual([])
      expect(files.filter((file) => /(^|\/)\./.test(file))).toEqual([])
    }
  })

  it('bring no development dependency, and take less than 200 MB', async () => {
    const workspaces = await readdir(join(ROOT, 'packages'))
    const manifests = await Promise.all(
      [ROOT, ...workspaces.map((name) => join(ROOT, 'packages', name))]
        .filter((dir) => existsSync(join(dir, 'package.json')))
        .map(manifestOf),
    )
    const namesIn = (member: string) => manifests.flatMap((one) => Object.keys(Object(one[member])))
    const needed = new Set([...namesIn('dependencies'), ...namesIn('optionalDependencies')])
    const development = namesIn('devDependencies').filter(
      (name) => !needed.has(name) && !name.startsWith('@types/') && !NEEDED_BY_OTHERS.has(name),
    )
    expect(development).toContain('typescript')
    const found = development.filter((name) => existsSync(join(folder, 'node_modules', name)))
    expect(found).toEqual([])
    for (const name of ['viem', '@opentelemetry/sdk-node', '@foundry-rs']) {
      expect(existsSync(join(folder, 'node_modules', name)), name).toBe(false)
    }
    const files = await filesIn(join(folder, 'node_modules'))
    const sizes = await Promise.all(files.map(async (file) => (await stat(file)).size))
    const bytes = sizes.reduce((sum, size) => sum + size, 0)
    expect(bytes).toBeLessThan(INSTALLED_BYTES_MAX)
  })

  it('name the packages to install for a feature that needs more', async () => {
    const env = plainEnv({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1', METRICS_ADDR: 'off' })
    const args = ['serve', '--data', './traced', '--port', '0', '--empty'] as const
    const { code, output } = await runIn(folder, ['npx', 'touchstone', ...args], { env })
    expect(output).toMatch(/npm install @opentelemetry\/api@\S+ @opentelemetry\/sdk-node@\S+ /)
    expect(code).toBe(1)
  })
})

/** Development dependencies of ours that a published package depends on. */
const NEEDED_BY_OTHERS: ReadonlySet<string> = new Set(['@noble/curves', '@opentelemetry/api'])

describe('the SDK', () => {
  it('is installed alone, and every entry can be imported and type-checked', async () => {
    const alone = await realpath(await temporaryDir())
    await typeIn(alone, `npm install ${TARBALLS}/touchstone-{sdk,protocol}-*.tgz`)
    const dir = join(alone, 'node_modules/@touchstone/sdk')
    const { exports = {}, peerDependencies: peers = {} } = await manifestOf(dir)
    const hooks = (await readdir(join(dir, 'dist/hooks')))
      .filter((name) => name.endsWith('.js'))
      .map((name) => `./hooks/${name.slice(0, -3)}`)
    const named = Object.keys(exports).filter((entry) => !entry.includes('*'))
    const entries = [...named.filter((entry) => !NEED_FRAMEWORK.includes(entry)), ...hooks]
    expect(entries).toEqual(expect.arrayContaining(['.', './guard', './hooks/claude-code']))
    const lines = entries.map(
      (entry, at) => `import * as entry${at} from '@touchstone/sdk${entry.slice(1)}'`,
    )
    const all = `console.log([${entries.map((_, at) => `entry${at}`).join(', ')}].length)`
    const script = [...lines, all, ''].join('\n')
    await writeFile(join(alone, 'all.mjs'), script)
    const ran = await runIn(alone, [process.execPath, 'all.mjs'])
    expect(ran).toEqual({ code: 0, output: `${entries.length}\n` })

    const program = script.replace(
      all,
      'export const client = entry0.createClient({ baseUrl: "x" })',
    )
    await writeFile(join(alone, 'all.mts'), program)
    const compiler = join(ROOT, 'node_modules/typescript/bin/tsc')
    const types = ['--module', 'nodenext', '--target', 'es2023', '--strict', '--skipLibCheck']
    const checked = await runIn(alone, [
      process.execPath,
      compiler,
      '--noEmit',
      ...types,
      'all.mts',
    ])
    expect(checked).toEqual({ code: 0, output: '' })

    for (const entry of NEED_FRAMEWORK) {
      const load = `import('@touchstone/sdk${entry.slice(1)}')`
      const { code, output } = await runIn(alone, [process.execPath, '--eval', load])
      const missing = /Cannot find package '((?:@[^/']+\/)?[^/']+)/.exec(output)?.[1] ?? output
      expect([code, Object.keys(peers)]).toEqual([1, expect.arrayContaining([missing])])
    }
  })
})

describe('the installed service', () => {
  let home: string
  let url: string
  let apiKey: string
  let serving: ReturnType<typeof spawn>
  let output: () => string

  const envOf = (userHome: string) =>
    plainEnv({ HOME: userHome, TOUCHSTONE_CONFIG: join(home, 'login.json') })

  const touchstone = (args: readonly string[], userHome = home) =>
    runIn(folder, [join(folder, 'node_modules/.bin/touchstone'), ...args], {
      env: envOf(userHome),
    })

  // biome-ignore lint/suspicious/noExplicitAny: tests read any field of a body
  async function api(method: string, path: string, body?: unknown): Promise<any> {
    const response = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    expect(response.ok, `${method} ${path}: ${response.status}`).toBe(true)
    return response.json()
  }

  beforeAll(async () => {
    home = await temporaryDir()
    // A process group, so that a failed test leaves neither npx nor the service running.
    serving = spawn('bash', ['-c', serve], {
      cwd: folder,
      env: plainEnv({ HOME: home, METRICS_ADDR: 'off', PORT: '0' }),
      detached: true,
    })
    output = outputOf(serving)
    onFileFinished(async () => {
      if (serving.exitCode !== null || serving.pid === undefined) return
      process.kill(-serving.pid, 'SIGTERM')
      await once(serving, 'close')
    })
    await eventually(() => expect(output()).toContain('is ready'))
    const credentials = JSON.parse(await readFile(join(folder, 'data/credentials.json'), 'utf8'))
    url = credentials.base_url
    apiKey = credentials.api_key
  })

  it('says in one line how many migrations the first start applied', async () => {
    const migrations = await readdir(join(ROOT, 'migrations'))
    const lines = output()
      .split('\n')
      .filter((line) => line.includes('migration'))
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { level: 'info', msg: 'applied migrations', migrations: migrations.length },
    ])
  })

  it('decides from the command line, and serves the dashboard', async () => {
    expect(await typeIn(folder, login, envOf(home))).toMatch(/Logged in .*claude-code/s)
    expect((await touchstone(['policy', 'init', '--pack', 'coding-agent'])).code).toBe(0)
    await api('POST', '/v1/agents', { agent_id: 'packaged' })
    const call = { agent_id: 'packaged', tool: 'Read', arguments: {} }
    const { decision } = await api('POST', '/v1/gateway/decide', call)
    expect(decision).toBe('allow')
    const { output: listed } = await touchstone(['decisions', 'list'])
    expect(listed).toContain('packaged')
    const page = await fetch(`${url}/directory`)
    expect(await page.text()).toContain('<div id="root">')
    expect((await fetch(`${url}/docs/reference`)).status).toBe(200)
  })

  it.each(HOOK_CLIENTS)('governs %s until it is disconnected', async (client) => {
    const userHome = await temporaryDir()
    const written = await connectAndDisconnect({ touchstone, api }, { client, home: userHome })
    expect(written).toContain(join(folder, 'node_modules/touchstone/bin/touchstone-hook.cjs'))
    expect(written).not.toContain(ROOT)
  })

  it('shows the refused call of every client on the dashboard', async () => {
    const { email, password, org_id } = JSON.parse(
      await readFile(join(folder, 'data/credentials.json'), 'utf8'),
    )
    const context = await (await sharedChromium()).newContext({ baseURL: url })
    const page = await context.newPage()
    await signIn(page, { email, password, org_id, api_key: apiKey })
    await page.goto(`/o/${org_id}/decisions?decision=block`)
    for (const client of HOOK_CLIENTS) {
      const row = page
        .getByRole('row')
        .filter({ hasText: `${client}-journey` })
        .first()
      await expect(row.textContent()).resolves.toContain('Bash')
    }
    await context.close()
  })

  it('is stopped by touchstone stop, which says so if nothing runs', async () => {
    expect(await typeIn(folder, stop, envOf(home))).toContain('has stopped')
    await eventually(() => expect(serving.exitCode).toBe(0))
    const again = await touchstone(['stop', '--data', './data'])
    expect(again.output).toContain('No running service uses the data folder')
    expect(again.code).not.toBe(0)
  })
})
