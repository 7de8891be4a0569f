/**
 * Validates the shape of a document and reports each problem by JSON pointer (RFC 6901) with the
 * error codes of the API. It collects findings instead of throwing, because an author wants to see
 * all problems together.
 */

export type Finding = { path: string; code: string; message: string }

export type JsonObject = Readonly<Record<string, unknown>>

/** Limits the findings, so that a hostile document cannot cause a huge response. */
const FINDINGS_MAX = 100

type Fault = readonly [code: string, message: string]
type Range = { min?: number; max?: number }

export function createShape() {
  const errors: Finding[] = []
  const warnings: Finding[] = []

  function fail(path: string, code: string, message: string): void {
    if (errors.length < FINDINGS_MAX) errors.push({ path, code, message })
  }

  function warn(path: string, code: string, message: string): void {
    if (warnings.length < FINDINGS_MAX) warnings.push({ path, code, message })
  }

  function passes(path: string, fault: Fault | undefined): boolean {
    if (fault !== undefined) fail(path, ...fault)
    return fault === undefined
  }

  return {
    errors,
    warnings,
    fail,
    warn,

    /** Unknown fields are kept, with a warning, because a newer client may use them. */
    object(path: string, value: unknown, known?: readonly string[]): JsonObject | undefined {
      if (!isJsonObject(value)) {
        passes(path, missing(value) ?? ['type', 'must be an object'])
        return undefined
      }
      for (const key of known === undefined ? [] : Object.keys(value)) {
        if (known?.includes(key)) continue
        warn(pointer(path, key), 'unknown_field', 'unknown field; it is kept')
      }
      return value
    },

    /**
     * Rejects unknown fields: in a document that is interpreted in full, an ignored field would be
     * a rule that is not enforced.
     */
    closedObject(path: string, value: unknown, known: readonly string[]): JsonObject | undefined {
      if (!isJsonObject(value)) {
        passes(path, missing(value) ?? ['type', 'must be an object'])
        return undefined
      }
      for (const key of Object.keys(value)) {
        if (!known.includes(key)) fail(pointer(path, key), 'unknown_field', 'unknown field')
      }
      return value
    },

    text(path: string, value: unknown, range: Range = {}): void {
      passes(path, textFault(value, range))
    },

    pattern(path: string, value: unknown, pattern: RegExp): void {
      const fits = typeof value !== 'string' || pattern.test(value)
      passes(path, textFault(value) ?? (fits ? undefined : patternFault(pattern)))
    },

    oneOf(path: string, value: unknown, options: readonly string[]): void {
      const fits = typeof value !== 'string' || options.includes(value)
      passes(path, textFault(value) ?? (fits ? undefined : enumFault(options)))
    },

    boolean(path: string, value: unknown): void {
      if (typeof value === 'boolean') return
      passes(path, missing(value) ?? ['type', 'must be true or false'])
    },

    number(path: string, value: unknown, range: Range): void {
      passes(path, numberFault(value, range))
    },

    integer(path: string, value: unknown, range: Range): void {
      const whole = typeof value !== 'number' || Number.isInteger(value)
      passes(path, whole ? numberFault(value, range) : ['type', 'must be a whole number'])
    },

    /** Returns no items if there are too many. */
    array(path: string, value: unknown, range: Range): readonly unknown[] {
      return passes(path, arrayFault(value, range)) && Array.isArray(value) ? value : []
    },

    unique(path: string, items: readonly unknown[]): void {
      for (const [index, item] of items.entries()) {
        if (items.indexOf(item) < index)
          fail(pointer(path, index), 'duplicate', 'must be unique; it occurs more than once')
      }
    },

    /** Parses ISO 8601 with an offset into a Date, so that the caller can normalise it. */
    instant(path: string, value: unknown): Date | undefined {
      const instant = typeof value === 'string' ? parseInstant(value) : undefined
      if (instant !== undefined) return instant
      passes(path, textFault(value) ?? ['pattern', 'must be an ISO 8601 timestamp with an offset'])
      return undefined
    },
  }
}

export type Shape = ReturnType<typeof createShape>

/** Absent fields are undefined; null is a value of the wrong type, not absence. */
function missing(value: unknown): Fault | undefined {
  return value === undefined ? ['required', 'is required'] : undefined
}

function textFault(value: unknown, range: Range = {}): Fault | undefined {
  if (typeof value === 'number') return ['type', 'must be a string: put it in quotes']
  if (typeof value !== 'string') return missing(value) ?? ['type', 'must be a string']
  if (value.length < (range.min ?? 0)) return ['required', 'must not be empty']
  const max = range.max ?? Number.POSITIVE_INFINITY
  return lengthOf(value, max) > max
    ? ['too_large', `must have at most ${max} characters`]
    : undefined
}

function patternFault(pattern: RegExp): Fault {
  return ['pattern', `must match ${pattern.source}`]
}

function enumFault(options: readonly string[]): Fault {
  return ['enum', `must be one of ${options.join(', ')}`]
}

/** Too small is a `pattern` fault, because the API has no code for a number that is too small. */
function numberFault(value: unknown, range: Range): Fault | undefined {
  if (typeof value !== 'number' || !Number.isFinite(value)) {
    return missing(value) ?? ['type', 'must be a number']
  }
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = range
  if (value < min) return ['pattern', `must be at least ${min}`]
  return value > max ? ['too_large', `must be at most ${max}`] : undefined
}

function arrayFault(value: unknown, range: Range): Fault | undefined {
  if (!Array.isArray(value)) return missing(value) ?? ['type', 'must be an array']
  if (value.length < (range.min ?? 0)) return ['required', 'must not be empty']
  const max = range.max ?? Number.POSITIVE_INFINITY
  return value.length > max ? ['too_large', `must have at most ${max} items`] : undefined
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function pointer(path: string, key: string | number): string {
  return `${path}/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`
}

/** ISO 8601 with an offset; the separators are either all present or all absent. */
const INSTANT =
  /^(\d{4})(-?)(\d{2})\2(\d{2})T(\d{2})(:?)(\d{2})(?:\6(\d{2})(?:[.,](\d{1,9}))?)?(Z|([+-]\d{2})(?::?(\d{2}))?)$/i

/** Returns undefined if the text does not name an instant, such as the 30th of February. */
export function parseInstant(text: string): Date | undefined {
  const found = INSTANT.exec(text)
  if (found === null) return undefined
  const [, year, dash, month, day, hour, colon, minute, second = '00', fraction = ''] = found
  if ((dash === '') !== (colon === '')) return undefined
  const zone = found[11] === undefined ? 'Z' : `${found[11]}:${found[12] ?? '00'}`
  const time = `${hour}:${minute}:${second}.${fraction.slice(0, 3).padEnd(3, '0')}`
  const instant = new Date(`${year}-${month}-${day}T${time}${zone}`)
  if (Number.isNaN(instant.getTime())) return undefined
  // The offset can move the instant to a year that does not have four digits.
  if (instant.getUTCFullYear() < 0 || instant.getUTCFullYear() > 9999) return undefined
  // Date rolls a nonexistent day over into the next month.
  const midnight = new Date(`${year}-${month}-${day}T00:00:00Z`)
  return midnight.getUTCDate() === Number(day) ? instant : undefined
}

/**
 * Counts characters, not UTF-16 units, as JSON Schema does; the number of units usually decides.
 */
function lengthOf(text: string, max: number): number {
  if (text.length <= max) return text.length
  return text.length > 2 * max ? text.length : [...text].length
}
