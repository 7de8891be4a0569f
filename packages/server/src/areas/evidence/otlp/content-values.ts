import { findJson } from './genai-message.ts'
import type { Attributes, AttributeValue } from './span.ts'

/** Thrown for truncated JSON, so that a part is not analysed as the whole output. */
export class UnreadableContent extends Error {}

/** Plain text is a message; text that begins like JSON but is invalid was truncated. */
export function jsonOf(text: string, name: string): AttributeValue {
  const value = findJson(text)
  if (value !== undefined) return value
  if (!/^\s*[[{]/.test(text)) return text
  throw new UnreadableContent(
    `${name} is not valid JSON; check whether a limit on attribute length truncated it`,
  )
}

export function inOrder<T>(byIndex: ReadonlyMap<number, T>): T[] {
  return [...byIndex].sort(([a], [b]) => a - b).map(([, value]) => value)
}

export function filledText(attributes: Attributes, name: string): string[] {
  const value = attributes.get(name)
  return typeof value === 'string' && value.trim() !== '' ? [value] : []
}
