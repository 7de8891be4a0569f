import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished } from 'vitest'
import { endChain } from './end-chain.ts'
import { installInto } from './installation.ts'
import { onFileFinished } from './on-file-finished.ts'
import { freePort } from './port.ts'
import { temporaryDir } from './temporary-dir.ts'

const pathOf = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))

/** The shell blocks of a page, which a reader types. */
export async function blocksOf(page: string): Promise<string[]> {
  const text = await readFile(pathOf(page), 'utf8')
  return [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block)
}

/**
 * Creates a folder like a clone for the service to run in, so that nothing is written into the real
 * one.
 */
export async function readersFolder(): Promise<string> {
  const dir = await temporaryDir()
  await mkdir(join(dir, 'docs'))
  await cp(pathOf('docs/guide'), join(dir, 'docs/guide'), { recursive: true })
  for (const name of ['node_modules', 'packages']) await symlink(pathOf(name), join(dir, name))
  return dir
}

/** The environment of a reader: only the path, so that no setting of this machine helps. */
export function readersEnvironment(dir: string): Record<string, string> {
  return {
    PATH: `${pathOf('node_modules/.bin')}:${process.env['PATH']}`,
    HOME: dir,
    TOUCHSTONE_CONFIG: join(dir, 'config.json'),
  }
}

/** Runs commands in one shell, which stops at the first failure by default. */
export async function runShell(
  commands: string,
  dir: string,
  { flags = '-euo', env = {} }: { flags?: string; env?: Record<string, string> } = {},
) {
  const child = spawn('bash', [flags, 'pipefail', '-c', commands], {
    cwd: dir,
    env: { ...readersEnvironment(dir), ...env },
    detached: true,
  })
  onTestFinished(() => endGroup(child))
  return collectOutput(child)
}

/**
 * Terminates a shell that is still running, with its child processes. A shell that exited has
 * already stopped them.
 */
function endGroup({ pid, exitCode, signalCode }: ChildProcess): void {
  if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, 'SIGTERM')
}

/** Collects the output of a command until it exits. */
export async function collectOutput(child: ChildProcessWithoutNullStreams) {
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += String(chunk)
    })
  }
  const [code] = await once(child, 'close')
  return { code: Number(code), output }
}

export type Page = {
  page: string
  /** Block numbers, starting at 1; all blocks by default. */
  blocks?: readonly number[]
  /** The error statuses that the page announces, in order. */
  refused?: readonly number[]
  /** The exit codes other than 0 that the page announces, by block. */
  ends?: Readonly<Record<number, number>>
  /** Replacements for names that other pages use too, and for placeholders. */
  words?: Readonly<Record<string, string>>
  /** Commands to run before a block, such as waiting for an effect. */
  before?: Readonly<Record<number, string>>
  /** Commands to run after the last block, which show that the page's result is there. */
  last?: string
  /** The page that this one continues. */
  after?: Page
}

/** The place where a page is typed. */
export type Desk = {
  dir: string
  url: string
  env?: Record<string, string>
  /** Commands to run before anything of the page. */
  prelude?: string
}

/** Prints the status of every response next to the output. */
const STATUSES = `curl() { command curl -w '%{stderr}\\n@status %{http_code}\\n' "$@"; }`

async function commandsOf(read: Page): Promise<string> {
  const { page, blocks, words = {}, before = {}, last = '', after } = read
  const found = await blocksOf(page)
  const typed = found.flatMap((block, at) =>
    blocks === undefined || blocks.includes(at + 1)
      ? [before[at + 1] ?? '', `${block}\nprintf '\\n@end ${page} ${at + 1}: %s\\n' $? >&2`]
      : [],
  )
  const earlier = after === undefined ? '' : await commandsOf(after)
  const text = [earlier, ...typed, last].join('\n')
  return Object.entries(words).reduce((whole, [word, other]) => whole.replaceAll(word, other), text)
}

/**
 * Rewrites commands for the reader's folder and this service's URL, without the second that npx
 * takes.
 */
const adaptCommands = (commands: string, { dir, url }: Desk) =>
  commands
    .replaceAll('http://localhost:8787', url)
    .replaceAll('OUT=/tmp', `OUT=${dir}`)
    .replaceAll(/(?<![\w/])\/tmp\//g, `${dir}/`)
    .replaceAll('npx -y @modelcontextprotocol/server-filesystem', 'mcp-server-filesystem')
    .replaceAll('npx ', '')

/**
 * The expected exit code of each block, and the expected error statuses, of a page and those it
 * continues.
 */
async function expectedOf(read: Page): Promise<{ ends: string[]; refused: number[] }> {
  const { page, blocks, ends = {}, refused = [], after } = read
  const earlier = after === undefined ? { ends: [], refused: [] } : await expectedOf(after)
  const typed = blocks ?? (await blocksOf(page)).map((_, at) => at + 1)
  return {
    ends: [...earlier.ends, ...typed.map((at) => `${page} ${at}: ${ends[at] ?? 0}`)],
    refused: [...earlier.refused, ...refused],
  }
}

/** Types a page from top to bottom, and asserts that every command did what the page says. */
export async function readPage(page: Page, desk: Desk): Promise<string> {
  const commands = [STATUSES, desk.prelude ?? '', adaptCommands(await commandsOf(page), desk)].join(
    '\n',
  )
  const { output } = await runShell(commands, desk.dir, { flags: '-uo', env: desk.env ?? {} })
  const ends = [...output.matchAll(/^@end (.*)$/gm)].map(([, end]) => end)
  const statuses = [...output.matchAll(/^@status (\d+)$/gm)].map(([, code]) => Number(code))
  const refused = statuses.filter((code) => code < 200 || code > 299)
  expect({ ends, refused }, output).toEqual(await expectedOf(page))
  return output
}

/**
 * Shell functions for programs that a reader runs in a second terminal. `running` returns once the
 * program is ready, and all programs stop with the shell. `npm start` stops the running service
 * first, and neither builds nor loads demo data.
 */
const SECOND_TERMINAL = `
trap 'LEFT=$(jobs -p); [ -z "$LEFT" ] || kill $LEFT; wait' EXIT
running() {
  : > running.log
  "$@" >> running.log 2>&1 &
  until grep -Eq 'is ready|ready in|Listening at|Connected' running.log; do
    kill -0 $! || { cat running.log >&2; return 1; }
    sleep 0.05
  done
}
SERVICE=
stop() { [ -z "$SERVICE" ] || { kill "$SERVICE"; wait "$SERVICE"; SERVICE=; }; }
serve() { stop; running node packages/server/bin/touchstone.mjs serve "$@" && SERVICE=$!; }
npm() { [ "$1" = start ] && serve --empty "\${@:3}"; }`

/** Creates a folder in which one reader starts the service as the pages say. */
export async function readersDesk(env: Record<string, string> = {}) {
  const dir = await readersFolder()
  await installInto(join(dir, '.touchstone'))
  onFileFinished(() => endChain(join(dir, '.touchstone')))
  const port = String(await freePort())
  return {
    dir,
    url: `http://localhost:${port}`,
    env: { PORT: port, METRICS_ADDR: 'off', RATE_LIMITS: 'off', ...env },
    prelude: SECOND_TERMINAL,
  }
}
