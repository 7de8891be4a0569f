export type Paint = Readonly<Record<'good' | 'bad' | 'warning' | 'strong' | 'faint', Dye>>
type Dye = (text: string) => string

const CODES = { good: 32, bad: 31, warning: 33, strong: 1, faint: 2 } as const

/** Colours say nothing that the words do not. */
export function paintWith(color: boolean): Paint {
  const dye =
    (code: number): Dye =>
    (text) =>
      color ? `\u001b[${code}m${text}\u001b[0m` : text
  return {
    good: dye(CODES.good),
    bad: dye(CODES.bad),
    warning: dye(CODES.warning),
    strong: dye(CODES.strong),
    faint: dye(CODES.faint),
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: what paint adds begins with one
const PAINTED = /\u001b\[\d+m/g

/** Characters that take room on the screen. */
export function widthOf(text: string): number {
  return [...text.replace(PAINTED, '')].length
}
