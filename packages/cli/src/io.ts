import type { Readable, Writable } from 'node:stream'
import { jsonText } from './json-text.ts'
import { createPaint, type Paint } from './paint.ts'

/** The relevant settings of the environment; only main.ts reads process.env. */
export type Environment = {
  /** TOUCHSTONE_URL, TOUCHSTONE_API_KEY, TOUCHSTONE_ORG, TOUCHSTONE_AGENT. */
  url: string | undefined
  apiKey: string | undefined
  orgId: string | undefined
  agent: string | undefined
  /** DATA_DIR, the data folder of a local service. */
  dataDir: string | undefined
  configFile: string
  /** Version of this program. */
  version: string
  cwd: string
  /** All variables, for child processes. */
  all: Readonly<Record<string, string | undefined>>
}

export type Io = {
  env: Environment
  stdin: Readable & { isTTY?: boolean }
  /** Values of --json and --url. */
  json: boolean
  url: string | undefined
  /** Aborted on SIGINT or SIGTERM; from the first call on, one signal no longer ends the process. */
  stopSignal(): AbortSignal
  /** Colours for standard output. */
  paint: Paint
  /** Whether standard error is a terminal, where a progress line can be rewritten. */
  hasProgress: boolean
  /** Standard output as a stream, for commands that speak a protocol over it. */
  stdout: Writable
  /** Writes to standard output unchanged. */
  write(text: string): void
  /** Writes a line for people to standard error. */
  note(line: string): void
  /** Rewrites the progress line on standard error; does nothing if that is not a terminal. */
  progress(line: string): void
  /** Prints the result: as JSON with --json, otherwise as text. */
  result(value: unknown, text: () => string): void
}

export type IoOptions = {
  env: Environment
  stdin: Readable & { isTTY?: boolean }
  json: boolean
  url: string | undefined
  stopSignal(): AbortSignal
  color: boolean
  hasProgress: boolean
  stdout: Writable
  stderr: (text: string) => void
}

export function createIo({ stderr, color, ...options }: IoOptions): Io {
  const isShown = options.hasProgress && !options.json
  const stdout = (text: string) => void options.stdout.write(text)
  let isLineOpen = false
  const closeLine = () => {
    if (isLineOpen) stderr('\r\u001b[K')
    isLineOpen = false
  }
  return {
    ...options,
    paint: createPaint(color),
    write: (text) => {
      closeLine()
      stdout(text)
    },
    note: (line) => {
      closeLine()
      stderr(`${line}\n`)
    },
    progress: (line) => {
      if (!isShown) return
      stderr(`\r\u001b[K${line}`)
      isLineOpen = true
    },
    result: (value, text) => {
      closeLine()
      stdout(options.json ? `${jsonText(value, 2)}\n` : `${text()}\n`)
    },
  }
}
