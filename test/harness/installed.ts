import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const TARBALLS = join(ROOT, 'dist')

/** What a shell sets in which nobody has run npm or a test, and the registry and proxy of this machine. */
const KEPT =
  /^(PATH|HOME|TMPDIR|LANG|(https?|no)_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR)|npm_config_(registry|cache|cafile))$/i

export function plainEnv(more: Record<string, string> = {}): Record<string, string> {
  const kept = Object.entries(process.env).filter(([name]) => KEPT.test(name))
  return { ...Object.fromEntries(kept.map(([name, value]) => [name, value ?? ''])), ...more }
}

export type Ended = { code: number | null; output: string }

/** Runs a program until it ends. */
export async function runIn(
  cwd: string,
  [program, ...args]: readonly [string, ...string[]],
  { env = plainEnv(), input = '' }: { env?: Record<string, string>; input?: string } = {},
): Promise<Ended> {
  const child = spawn(program, args, { cwd, env })
  const output = outputOf(child)
  child.stdin.on('error', () => undefined)
  child.stdin.end(input)
  const [code] = await once(child, 'close')
  return { code, output: output() }
}

export function outputOf(child: ChildProcess): () => string {
  let text = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      text += String(chunk)
    })
  }
  return () => text
}

/** Writes the tarballs as a maintainer does, and returns their paths. */
export async function packTarballs(): Promise<string[]> {
  const { code, output } = await runIn(ROOT, ['npm', 'run', 'pack'])
  if (code !== 0) throw new Error(`npm run pack failed:\n${output}`)
  return (await readdir(TARBALLS)).map((name) => join(TARBALLS, name))
}

/** `npm install`, in a folder that has no package.json. */
export async function installTarballs(folder: string, tarballs: readonly string[]): Promise<void> {
  const flags = ['--prefer-offline', '--no-audit', '--no-fund']
  const { code, output } = await runIn(folder, ['npm', 'install', ...flags, ...tarballs])
  if (code !== 0) throw new Error(`npm install failed:\n${output}`)
}
