import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { temporaryDir } from './process.ts'

const pathOf = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))

/** What a reader of the page types, block by block. */
export async function blocksOf(page: string): Promise<string[]> {
  const text = await readFile(pathOf(page), 'utf8')
  return [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block)
}

/** A folder like a clone in which the service runs, so that nothing is written into the real one. */
export async function readersFolder(): Promise<string> {
  const dir = await temporaryDir()
  await mkdir(join(dir, 'docs'))
  await cp(pathOf('docs/guide'), join(dir, 'docs/guide'), { recursive: true })
  await symlink(pathOf('node_modules'), join(dir, 'node_modules'))
  return dir
}

/** Nothing of the environment but the path, so that no setting of ours can help. */
export function readersEnvironment(dir: string): Record<string, string> {
  return {
    PATH: `${pathOf('node_modules/.bin')}:${process.env['PATH']}`,
    HOME: dir,
    TOUCHSTONE_CONFIG: join(dir, 'config.json'),
  }
}

/** Types into one shell that stops at the first failure, unless told otherwise. */
export async function type(commands: string, dir: string, flags = '-euo') {
  const child = spawn('bash', [flags, 'pipefail', '-c', commands], {
    cwd: dir,
    env: readersEnvironment(dir),
  })
  return heard(child)
}

/** All that a command says, once it has ended. */
export async function heard(child: ChildProcessWithoutNullStreams) {
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += String(chunk)
    })
  }
  const [code] = await once(child, 'close')
  return { code: Number(code), output }
}
