const LINE_END = '\r\n'
/** Characters that spreadsheets read as the start of a formula (spec: control §1.6). */
const FORMULA = /^[=+\-@]/
const NEEDS_QUOTES = /[",\r\n]/

/** One row of RFC 4180. */
export function csvRow(values: readonly unknown[]): string {
  return values.map(csvCell).join(',') + LINE_END
}

/** Null is an empty cell, lists and objects are JSON, and formulas are escaped to plain text. */
export function csvCell(value: unknown): string {
  const text = textOf(value)
  const safe = FORMULA.test(text) ? `'${text}` : text
  return NEEDS_QUOTES.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
