import { createBatcher } from '../kernel/batcher.ts'

const CHARACTERS_MAX = 16_384
const WAIT_MS = 200

type Output = { write(text: string): unknown }

export type LogLines = {
  write(line: string): void
  /** Writes all buffered lines before it returns. */
  flushSync(): void
}

/** Writes log lines in batches: a system call per line costs as much as answering a cached read. */
export function batchLines(output: Output): LogLines {
  const batcher = createBatcher<string, undefined>({
    async run(lines) {
      output.write(lines.join(''))
      return lines.map(() => undefined)
    },
    itemsMax: CHARACTERS_MAX,
    weight: { of: (line) => line.length, max: CHARACTERS_MAX },
    ageMsMax: WAIT_MS,
    // Unlimited, so that a flush has written every line when it returns.
    concurrency: Number.POSITIVE_INFINITY,
    waitingMax: Number.POSITIVE_INFINITY,
    keepsProcessAlive: false,
  })
  return { write: batcher.post, flushSync: batcher.flush }
}
