import { type ChildProcess, type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished } from 'vitest'
import { atEnd } from './at-end.ts'
import { endChain } from './end-chain.ts'
import { installInto } from './installation.ts'
import { freePort } from './port.ts'
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
  for (const name of ['node_modules', 'packages']) await symlink(pathOf(name), join(dir, name))
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
export async function type(
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
  return heard(child)
}

/** A shell that was given up, and what it has running; one that ended has ended that itself. */
function endGroup({ pid, exitCode, signalCode }: ChildProcess): void {
  if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, 'SIGTERM')
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

export type Page = {
  page: string
  /** Counted from one; all of them unless given. */
  blocks?: readonly number[]
  /** Answers that are no success, in their order, as the page tells. */
  refused?: readonly number[]
  /** Blocks that end with something else than 0, as the page tells. */
  ends?: Readonly<Record<number, number>>
  /** Names that other pages use for something else, or that stand for something. */
  words?: Readonly<Record<string, string>>
  /** What a reader would do or wait for before a block. */
  before?: Readonly<Record<number, string>>
  /** What shows that it did what the page says. */
  last?: string
  /** What this page goes on from. */
  after?: Page
}

/** Where a page is read. */
export type Desk = {
  dir: string
  url: string
  env?: Record<string, string>
  /** Said to the shell before anything of the page. */
  prelude?: string
}

/** Every answer's status goes beside what is printed. */
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

/** In the reader's folder, with the address of this service, and without the second that npx takes. */
const here = (commands: string, { dir, url }: Desk) =>
  commands
    .replaceAll('http://localhost:8787', url)
    .replaceAll('OUT=/tmp', `OUT=${dir}`)
    .replaceAll(/(?<![\w/])\/tmp\//g, `${dir}/`)
    .replaceAll('npx ', '')

/** How each block ends, and which answers are no success, of all that is read. */
async function expectedOf(read: Page): Promise<{ ends: string[]; refused: number[] }> {
  const { page, blocks, ends = {}, refused = [], after } = read
  const earlier = after === undefined ? { ends: [], refused: [] } : await expectedOf(after)
  const typed = blocks ?? (await blocksOf(page)).map((_, at) => at + 1)
  return {
    ends: [...earlier.ends, ...typed.map((at) => `${page} ${at}: ${ends[at] ?? 0}`)],
    refused: [...earlier.refused, ...refused],
  }
}

/** Types a page from top to bottom, and finds that every command did what the page says. */
export async function readPage(page: Page, desk: Desk): Promise<string> {
  const commands = [STATUSES, desk.prelude ?? '', here(await commandsOf(page), desk)].join('\n')
  const { output } = await type(commands, desk.dir, { flags: '-uo', env: desk.env ?? {} })
  const ends = [...output.matchAll(/^@end (.*)$/gm)].map(([, end]) => end)
  const statuses = [...output.matchAll(/^@status (\d+)$/gm)].map(([, code]) => Number(code))
  const refused = statuses.filter((code) => code < 200 || code > 299)
  expect({ ends, refused }, output).toEqual(await expectedOf(page))
  return output
}

/**
 * What a reader starts and stops at another terminal. `running` goes on once it says that it is
 * ready, and all ends with the shell. `npm start` ends the service before; there is no clone to
 * build, and no demo data to wait for.
 */
const SECOND_TERMINAL = `
trap 'LEFT=$(jobs -p); [ -z "$LEFT" ] || kill $LEFT; wait' EXIT
running() {
  : > running.log
  "$@" >> running.log 2>&1 &
  until grep -Eq 'is ready|ready in|Listening at' running.log; do
    kill -0 $! || { cat running.log >&2; return 1; }
    sleep 0.05
  done
}
SERVICE=
stop() { [ -z "$SERVICE" ] || { kill "$SERVICE"; wait "$SERVICE"; SERVICE=; }; }
serve() { stop; running node packages/server/bin/touchstone.mjs serve "$@" && SERVICE=$!; }
npm() { [ "$1" = start ] && serve --empty "\${@:3}"; }`

/** A folder of one reader who starts the service as the pages say. */
export async function readersDesk(env: Record<string, string> = {}) {
  const dir = await readersFolder()
  await installInto(join(dir, '.touchstone'))
  atEnd(() => endChain(join(dir, '.touchstone')))
  const port = String(await freePort())
  return {
    dir,
    url: `http://localhost:${port}`,
    env: { PORT: port, METRICS_ADDR: 'off', RATE_LIMITS: 'off', ...env },
    prelude: SECOND_TERMINAL,
  }
}
