import { isJsonObject } from '../base/shape.ts'

/**
 * Reads values of answers, whose fields may be absent or of any type: providers add fields, and
 * compatible servers omit them.
 */
export type Fields = Record<string, unknown>

const NO_FIELDS: Fields = {}

export function fieldsOf(value: unknown): Fields {
  return isJsonObject(value) ? value : NO_FIELDS
}

/** Arguments of a call as text; compatible servers may send them as a value. */
export function argumentText(value: unknown): string {
  if (typeof value === 'string') return value
  return value === undefined || value === null ? '' : JSON.stringify(value)
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** Empty unless it is a string. */
export function stringOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

export function findText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

export function countOf(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0
}
