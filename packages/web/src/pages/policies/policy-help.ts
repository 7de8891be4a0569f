import type { CodeHelp, CodeOption } from '../../ui/codemirror.ts'
import { POLICY_FIELDS, type PolicyField, type PolicyFields } from './policy-fields.ts'

/** Completion and explanations for the policy editor. Flow style such as {a: b} has none. */
export const POLICY_HELP: CodeHelp = {
  complete(text, position) {
    const { before, path } = placeOf(text, position)
    const value = VALUE.exec(before)
    if (value !== null) {
      const [, key = '', typed = ''] = value
      const options = (fieldsAt(path)?.[key]?.values ?? []).map((label) => ({
        label,
        insert: label,
      }))
      return { from: position - typed.length, options }
    }
    const name = NAME.exec(before)
    if (name === null) return undefined
    const options = optionsOf(path)
    return { from: position - (name[1] ?? '').length, options }
  },

  describe(text, position) {
    const { line, start, path } = placeOf(text, position)
    const found = KEY.exec(line)
    if (found === null) return undefined
    const [, indent = '', key = ''] = found
    const from = start + indent.length
    if (position < from || position > from + key.length) return undefined
    const field = fieldsAt(path)?.[key]
    return field && { from, to: from + key.length, text: textOf(field) }
  },
}

/** The spaces and dashes before a key, and the key. */
const KEY = /^([ -]*)([A-Za-z0-9_.-]+):(?:\s|$)/
const VALUE = /^[ -]*([A-Za-z0-9_]+):\s+("?[\w.]*)$/
const NAME = /^[ -]*(\w*)$/

/** The line of a position, and the keys that it is nested in, outermost first. */
function placeOf(text: string, position: number) {
  const start = text.lastIndexOf('\n', position - 1) + 1
  const end = text.indexOf('\n', position)
  const line = text.slice(start, end === -1 ? undefined : end)
  const path: string[] = []
  let indent = /^[ -]*/.exec(line)?.[0].length ?? 0
  for (const above of text.slice(0, start).split('\n').toReversed()) {
    const [, spaces = '', key = ''] = KEY.exec(above) ?? []
    if (key === '' || spaces.length >= indent) continue
    path.unshift(key)
    indent = spaces.length
  }
  return { line, start, before: text.slice(start, position), path }
}

function fieldAt(path: readonly string[]): PolicyField | undefined {
  let fields: PolicyFields | undefined = POLICY_FIELDS
  let field: PolicyField | undefined
  for (const key of path) {
    // The names of entries are free.
    field = fields === undefined ? field : fields[key]
    fields = field?.fields
  }
  return field
}

function fieldsAt(path: readonly string[]): PolicyFields | undefined {
  if (path.length === 0) return POLICY_FIELDS
  const parent = fieldAt(path.slice(0, 1))
  if (parent?.entries !== undefined) return path.length === 2 ? parent.entries : undefined
  return fieldAt(path)?.fields
}

/** The keys of a mapping, or the values of a list. */
function optionsOf(path: readonly string[]): CodeOption[] {
  const fields = Object.entries(fieldsAt(path) ?? {})
  if (fields.length > 0) {
    return fields.map(([label, field]) => ({
      label,
      detail: field.help,
      insert:
        field.fields === undefined && field.entries === undefined ? `${label}: ` : `${label}:`,
    }))
  }
  return (fieldAt(path)?.values ?? []).map((label) => ({ label, insert: label }))
}

function textOf({ help, values }: PolicyField): string {
  return values === undefined ? help : `${help} One of ${values.join(', ')}.`
}
