import type { Origin } from './json-reader.ts'
import {
  createProtobufReader,
  doubleOf,
  type Field,
  int64Of,
  messageOf,
  type ProtobufReader,
  textOf,
} from './protobuf-reader.ts'
import { type AttributeValue, assertRoom, MalformedRequest } from './span.ts'

/** Several times the fields of a full request of a real exporter; bounds the work for a hostile one. */
const FIELDS_MAX = 1_000_000

/** Maximum nesting of values. */
const DEPTH_MAX = 20

/**
 * The items of an export request (opentelemetry-proto 1.x), whose levels are numbered alike for every
 * signal. Fields come in any order, so a resource may follow its items. Skips unknown fields.
 */
export function itemsOfProtobuf<T>(
  request: Uint8Array,
  items: string,
  readItem: (reader: ProtobufReader, message: Uint8Array) => T,
): (T & Origin)[] {
  const reader = createProtobufReader(FIELDS_MAX)
  const read: (T & Origin)[] = []
  for (const group of messagesIn(reader, request, 1)) {
    const { resource, scopes } = readResource(reader, group)
    for (const scoped of scopes) {
      const { scope, parts } = readScope(reader, scoped)
      for (const part of parts) {
        assertRoom(read.length, items)
        read.push({ ...readItem(reader, part), resource, scope })
      }
    }
  }
  return read
}

function readResource(reader: ProtobufReader, group: Uint8Array) {
  const resource = new Map<string, AttributeValue>()
  const scopes: Uint8Array[] = []
  for (const field of reader.fields(group)) {
    if (field.number === 1) readAttributes(reader, messageOf(field), 1, resource)
    else if (field.number === 2) scopes.push(messageOf(field))
  }
  return { resource, scopes }
}

function readScope(reader: ProtobufReader, scoped: Uint8Array) {
  let scope = ''
  const parts: Uint8Array[] = []
  for (const field of reader.fields(scoped)) {
    if (field.number === 1) scope = nameOf(reader, messageOf(field))
    else if (field.number === 2) parts.push(messageOf(field))
  }
  return { scope, parts }
}

function messagesIn(reader: ProtobufReader, message: Uint8Array, number: number): Uint8Array[] {
  const found: Uint8Array[] = []
  for (const field of reader.fields(message)) {
    if (field.number === number) found.push(messageOf(field))
  }
  return found
}

function nameOf(reader: ProtobufReader, scope: Uint8Array): string {
  let name = ''
  for (const field of reader.fields(scope)) if (field.number === 1) name = textOf(field)
  return name
}

function readAttributes(
  reader: ProtobufReader,
  message: Uint8Array,
  number: number,
  into: Map<string, AttributeValue>,
): void {
  for (const field of reader.fields(message)) {
    if (field.number === number) readAttribute(reader, messageOf(field), into)
  }
}

export function readAttribute(
  reader: ProtobufReader,
  message: Uint8Array,
  into: Map<string, AttributeValue>,
  depth = 1,
): void {
  let key = ''
  let value: AttributeValue = null
  for (const field of reader.fields(message)) {
    if (field.number === 1) key = textOf(field)
    else if (field.number === 2) value = readValue(reader, messageOf(field), depth)
  }
  into.set(key, value)
}

/** An AnyValue: the last of several members wins. Bytes are ignored. */
export function readValue(reader: ProtobufReader, message: Uint8Array, depth = 1): AttributeValue {
  if (depth > DEPTH_MAX) throw new MalformedRequest(`values nested deeper than ${DEPTH_MAX}`)
  let value: AttributeValue = null
  for (const field of reader.fields(message)) {
    value = readMember(reader, field, depth) ?? value
  }
  return value
}

function readMember(
  reader: ProtobufReader,
  field: Field,
  depth: number,
): AttributeValue | undefined {
  switch (field.number) {
    case 1:
      return textOf(field)
    case 2:
      return int64Of(field) !== 0n
    case 3:
      return Number(int64Of(field))
    case 4:
      return doubleOf(field)
    case 5:
      return readList(reader, messageOf(field), depth)
    case 6:
      return readMembers(reader, messageOf(field), depth)
    default:
      return undefined
  }
}

function readList(reader: ProtobufReader, message: Uint8Array, depth: number): AttributeValue[] {
  const values: AttributeValue[] = []
  for (const field of reader.fields(message)) {
    if (field.number === 1) values.push(readValue(reader, messageOf(field), depth + 1))
  }
  return values
}

function readMembers(reader: ProtobufReader, message: Uint8Array, depth: number): AttributeValue {
  const members = new Map<string, AttributeValue>()
  for (const field of reader.fields(message)) {
    if (field.number === 1) readAttribute(reader, messageOf(field), members, depth + 1)
  }
  return Object.fromEntries(members)
}
