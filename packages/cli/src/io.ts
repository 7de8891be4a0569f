import type { Readable, Writable } from 'node:stream'
import { type Paint, paintWith } from './paint.ts'

/** What of the environment counts; only main.ts reads the environment itself. */
export type Environment = {
  /** TOUCHSTONE_URL, TOUCHSTONE_API_KEY, TOUCHSTONE_ORG, TOUCHSTONE_AGENT. */
  url: string | undefined
  apiKey: string | undefined
  orgId: string | undefined
  agent: string | undefined
  /** DATA_DIR, where a service was told to keep its files. */
  dataDir: string | undefined
  configFile: string
  /** Of this program. */
  version: string
  cwd: string
  /** All of it, for programs that are started. */
  all: Readonly<Record<string, string | undefined>>
}

export type Io = {
  env: Environment
  stdin: Readable & { isTTY?: boolean }
  /** What --json and --url said. */
  json: boolean
  url: string | undefined
  /** Aborted when the person asks to stop; from the first call on, that no longer ends the process. */
  stopSignal(): AbortSignal
  /** Of standard output. */
  paint: Paint
  /** Standard error is a terminal, so a line may be rewritten. */
  hasProgress: boolean
  /** Standard output itself, for those who speak a protocol over it. */
  stdout: Writable
  /** To standard output, as it is. */
  write(text: string): void
  /** A line to standard error, for people. */
  note(line: string): void
  /** Rewrites the last line of standard error; nothing where that is no terminal. */
  progress(line: string): void
  /** One result: as JSON when that was asked for, as text otherwise. */
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
    paint: paintWith(color),
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
      stdout(options.json ? `${JSON.stringify(value, null, 2)}\n` : `${text()}\n`)
    },
  }
}
