import { MalformedRequest } from './span.ts'

/** One field of a message: its number and its encoded bytes. */
export type Field = { number: number; wire: number; bytes: Uint8Array }

const VARINT = 0
const FIXED64 = 1
const LENGTH_DELIMITED = 2
const FIXED32 = 5

const VARINT_BYTES_MAX = 10

/** Rejects invalid UTF-8. */
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * A strict reader of protobuf fields: rejects truncated and oversized fields and unknown wire types.
 * Callers skip unknown fields. Reads at most `fieldsMax` fields in total, at any depth.
 */
export function createProtobufReader(fieldsMax: number) {
  let fieldsLeft = fieldsMax
  return {
    *fields(message: Uint8Array): Generator<Field> {
      let at = 0
      while (at < message.length) {
        fieldsLeft -= 1
        if (fieldsLeft < 0) throw new MalformedRequest(`more than ${fieldsMax} fields`)
        const tag = varintAt(message, at)
        const number = Number(BigInt.asUintN(64, tag.value) >> 3n)
        if (number < 1 || number > 0x1fffffff)
          throw new MalformedRequest('field number out of range')
        const wire = Number(tag.value & 7n)
        const { from, to } = extentAt(message, tag.end, wire)
        if (to > message.length) throw new MalformedRequest('a field is truncated')
        yield { number, wire, bytes: message.subarray(from, to) }
        at = to
      }
    },
  }
}

export type ProtobufReader = ReturnType<typeof createProtobufReader>

function varintAt(bytes: Uint8Array, from: number): { value: bigint; end: number } {
  let value = 0n
  for (let index = 0; index < VARINT_BYTES_MAX; index += 1) {
    const byte = bytes[from + index]
    if (byte === undefined) throw new MalformedRequest('a number is truncated')
    value |= BigInt(byte & 0x7f) << BigInt(7 * index)
    if (byte < 0x80) return { value, end: from + index + 1 }
  }
  throw new MalformedRequest('a number has more than 64 bits')
}

function extentAt(bytes: Uint8Array, at: number, wire: number): { from: number; to: number } {
  if (wire === VARINT) return { from: at, to: varintAt(bytes, at).end }
  if (wire === FIXED64) return { from: at, to: at + 8 }
  if (wire === FIXED32) return { from: at, to: at + 4 }
  if (wire !== LENGTH_DELIMITED) throw new MalformedRequest(`wire type ${wire} is not supported`)
  const length = varintAt(bytes, at)
  return { from: length.end, to: length.end + Number(length.value) }
}

function expect(field: Field, wire: number): Uint8Array {
  if (field.wire === wire) return field.bytes
  throw new MalformedRequest(`field ${field.number} has wire type ${field.wire}, not ${wire}`)
}

export function messageOf(field: Field): Uint8Array {
  return expect(field, LENGTH_DELIMITED)
}

export function textOf(field: Field): string {
  try {
    return UTF8.decode(expect(field, LENGTH_DELIMITED))
  } catch (err) {
    if (err instanceof MalformedRequest) throw err
    throw new MalformedRequest(`field ${field.number} is not valid UTF-8`)
  }
}

export function hexOf(field: Field): string {
  const bytes = expect(field, LENGTH_DELIMITED)
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

export function int64Of(field: Field): bigint {
  return BigInt.asIntN(64, varintAt(expect(field, VARINT), 0).value)
}

export function fixed64Of(field: Field): bigint {
  return viewOf(expect(field, FIXED64)).getBigUint64(0, true)
}

export function doubleOf(field: Field): number {
  return viewOf(expect(field, FIXED64)).getFloat64(0, true)
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
