import { usageError } from './cli-error.ts'

/** Parses the value of a numeric flag; undefined if the flag was not given. */
export function numberFlag(
  name: string,
  text: string | undefined,
  { min, max }: { min: number; max: number },
): number | undefined {
  if (text === undefined) return undefined
  const value = Number(text)
  if (text.trim() !== '' && value >= min && value <= max) return value
  throw usageError(`--${name} must be a number from ${min} to ${max}.`)
}
