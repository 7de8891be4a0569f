/** Encodes the protobuf field types that our messages use: integers, strings and messages. */
const VARINT = 0
const LENGTH_DELIMITED = 2

/** A non-negative integer. 0 is the default value, which protobuf omits. */
export function numberField(field: number, value: number): Buffer {
  if (value === 0) return Buffer.alloc(0)
  return Buffer.concat([varint(field * 8 + VARINT), varint(value)])
}

export function textField(field: number, value: string): Buffer {
  return value === '' ? Buffer.alloc(0) : messageField(field, Buffer.from(value, 'utf8'))
}

export function messageField(field: number, message: Buffer): Buffer {
  return Buffer.concat([varint(field * 8 + LENGTH_DELIMITED), varint(message.length), message])
}

function varint(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) + 0x80)
    rest = Math.floor(rest / 0x80)
  }
  return Buffer.from([...bytes, rest])
}
