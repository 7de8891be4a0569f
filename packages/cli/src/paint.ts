export type Paint = Readonly<Record<'good' | 'bad' | 'warning' | 'strong' | 'faint', Style>>
type Style = (text: string) => string

const CODES = { good: 32, bad: 31, warning: 33, strong: 1, faint: 2 } as const

/** Colours are decoration only: the text alone says everything. */
export function createPaint(color: boolean): Paint {
  const style =
    (code: number): Style =>
    (text) =>
      color ? `\u001b[${code}m${text}\u001b[0m` : text
  return {
    good: style(CODES.good),
    bad: style(CODES.bad),
    warning: style(CODES.warning),
    strong: style(CODES.strong),
    faint: style(CODES.faint),
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: ANSI sequences start with ESC
const ANSI_SEQUENCE = /\u001b\[\d+m/g

/** Number of visible characters, without ANSI sequences. */
export function widthOf(text: string): number {
  return [...text.replace(ANSI_SEQUENCE, '')].length
}
