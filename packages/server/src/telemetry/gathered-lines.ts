/** As much as is written at once, and as long as a line waits for others. */
const CHARACTERS_MAX = 16_384
const WAIT_MS = 200

type Out = { write(text: string): unknown }

export type GatheredLines = {
  write(line: string): void
  /** Writes what waits. */
  flushSync(): void
}

/**
 * Writes lines together: to write each alone costs as much as answering a cached read. They are
 * joined once, not each to what is there, which costs the more the longer it gets.
 */
export function gatherLines(out: Out): GatheredLines {
  let lines: string[] = []
  let characters = 0
  let timer: NodeJS.Timeout | undefined
  const flushSync = (): void => {
    clearTimeout(timer)
    timer = undefined
    if (lines.length === 0) return
    const text = lines.join('')
    lines = []
    characters = 0
    out.write(text)
  }
  return {
    write(line) {
      lines.push(line)
      characters += line.length
      if (characters >= CHARACTERS_MAX) flushSync()
      else timer ??= setTimeout(flushSync, WAIT_MS).unref()
    },
    flushSync,
  }
}
