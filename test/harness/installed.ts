import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'

/** Variables of a shell in which nobody has run npm or a test, with the registry and proxy of this machine. */
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

/** Runs what a reader of the guide types. */
export async function typeIn(cwd: string, commands: string, env = plainEnv()): Promise<string> {
  const { code, output } = await runIn(cwd, ['bash', '-euo', 'pipefail', '-c', commands], { env })
  if (code !== 0) throw new Error(`${commands} failed:\n${output}`)
  return output
}
