import { type Attributes, type AttributeValue, assertRoom, MalformedRequest } from './span.ts'

/** The names of the levels of an export request, such as resourceSpans, scopeSpans and spans. */
type Levels = { resources: string; scopes: string; items: string }

/** The resource and the instrumentation that an item of an export request belongs to. */
export type Origin = { resource: Attributes; scope: string }

/**
 * The items of an export request in the JSON encoding of OTLP: names in lowerCamelCase, ids in
 * hexadecimal, 64-bit numbers as text or number, enumerations as numbers. Skips unknown names; null
 * means absent.
 */
export function itemsOfJson<T>(
  request: unknown,
  { resources, scopes, items }: Levels,
  readItem: (item: unknown, path: string) => T,
): (T & Origin)[] {
  const read: (T & Origin)[] = []
  listOf(memberOf(request, resources, ''), `/${resources}`).forEach((group, index) => {
    const path = `/${resources}/${index}`
    const about = memberOf(group, 'resource', path)
    const resource = about === undefined ? new Map() : attributesOf(about, `${path}/resource`)
    listOf(memberOf(group, scopes, path), `${path}/${scopes}`).forEach((scoped, position) => {
      const scopePath = `${path}/${scopes}/${position}`
      const named = memberOf(scoped, 'scope', scopePath)
      const scope = named === undefined ? '' : textOf(named, 'name', `${scopePath}/scope`)
      listOf(memberOf(scoped, items, scopePath), `${scopePath}/${items}`).forEach((item, at) => {
        assertRoom(read.length, items)
        read.push({ ...readItem(item, `${scopePath}/${items}/${at}`), resource, scope })
      })
    })
  })
  return read
}

export function attributesOf(holder: unknown, path: string): Attributes {
  return pairsOf(memberOf(holder, 'attributes', path), `${path}/attributes`)
}

function pairsOf(list: unknown, path: string): Map<string, AttributeValue> {
  return new Map(
    listOf(list, path).map((pair, index) => {
      const at = `${path}/${index}`
      return [textOf(pair, 'key', at), readValue(memberOf(pair, 'value', at), `${at}/value`)]
    }),
  )
}

/** An AnyValue. Bytes are ignored. */
export function readValue(value: unknown, path: string): AttributeValue {
  if (value === undefined) return null
  const text = memberOf(value, 'stringValue', path)
  if (text !== undefined) return textOf(value, 'stringValue', path)
  const flag = memberOf(value, 'boolValue', path)
  if (typeof flag === 'boolean') return flag
  if (flag !== undefined) throw wrong(`${path}/boolValue`, 'true or false')
  const whole = memberOf(value, 'intValue', path)
  if (whole !== undefined) return Number(integerOf(value, 'intValue', path))
  const double = memberOf(value, 'doubleValue', path)
  if (double !== undefined) return doubleOf(double, `${path}/doubleValue`)
  return severalOf(value, path)
}

function severalOf(value: unknown, path: string): AttributeValue {
  const array = memberOf(value, 'arrayValue', path)
  if (array !== undefined) {
    const at = `${path}/arrayValue/values`
    const values = listOf(memberOf(array, 'values', `${path}/arrayValue`), at)
    return values.map((item, index) => readValue(item, `${at}/${index}`))
  }
  const members = memberOf(value, 'kvlistValue', path)
  if (members === undefined) return null
  const list = memberOf(members, 'values', `${path}/kvlistValue`)
  return Object.fromEntries(pairsOf(list, `${path}/kvlistValue/values`))
}

/** JSON has no literals for these numbers, so OTLP writes them as strings. */
const WORDS = new Map([
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['-Infinity', Number.NEGATIVE_INFINITY],
])

function doubleOf(value: unknown, path: string): number {
  if (typeof value === 'number') return value
  const read = typeof value === 'string' ? (WORDS.get(value) ?? decimal(value)) : undefined
  if (read !== undefined) return read
  throw wrong(path, 'a number')
}

function decimal(text: string): number | undefined {
  return /^-?\d{1,400}(\.\d{1,400})?([eE][+-]?\d{1,3})?$/.test(text) ? Number(text) : undefined
}

/** 0 if absent, as in protobuf. */
export function integerOf(holder: unknown, name: string, path: string): bigint {
  const value = memberOf(holder, name, path)
  if (value === undefined) return 0n
  if (typeof value === 'number' && Number.isInteger(value)) return BigInt(value)
  if (typeof value === 'string' && /^-?\d{1,20}$/.test(value)) return BigInt(value)
  throw wrong(`${path}/${name}`, 'a whole number, or one as text')
}

export function textOf(holder: unknown, name: string, path: string): string {
  const value = memberOf(holder, name, path)
  if (value === undefined) return ''
  if (typeof value === 'string') return value
  throw wrong(`${path}/${name}`, 'text')
}

export function hexOf(holder: unknown, name: string, path: string): string {
  const text = textOf(holder, name, path)
  if (/^[0-9a-fA-F]*$/.test(text)) return text.toLowerCase()
  throw wrong(`${path}/${name}`, 'hexadecimal digits')
}

export function listOf(value: unknown, path: string): readonly unknown[] {
  if (value === undefined) return []
  if (Array.isArray(value)) return value
  throw wrong(path, 'a list')
}

export function memberOf(holder: unknown, name: string, path: string): unknown {
  if (typeof holder !== 'object' || holder === null || Array.isArray(holder)) {
    throw wrong(path === '' ? 'the body' : path, 'an object')
  }
  const value: unknown = Object.getOwnPropertyDescriptor(holder, name)?.value
  return value === null ? undefined : value
}

function wrong(path: string, wanted: string): MalformedRequest {
  return new MalformedRequest(`${path} must be ${wanted}`)
}
