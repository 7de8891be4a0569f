import { isElement } from '../field/baby-bear.ts'
import { DEGREE, type Extension, isExtension } from '../field/extension.ts'
import { DIGEST_BYTES } from '../hash/sha256.ts'

/** Why a proof is rejected. Thrown inside the verifier only, which turns it into a verdict. */
export class Refusal extends Error {}

export const ELEMENT_BYTES = 4
export const EXTENSION_BYTES = DEGREE * ELEMENT_BYTES

/** Collects bytes; numbers are little-endian. */
export function createWriter() {
  const parts: Uint8Array[] = []
  const bytes = (part: Uint8Array) => {
    parts.push(part)
  }
  return {
    bytes,
    elements: (values: Iterable<number>) => bytes(elementBytes([...values])),
    extensions: (values: readonly Extension[]) => bytes(elementBytes(values.flat())),
    finish(): Uint8Array {
      const whole = new Uint8Array(parts.reduce((size, part) => size + part.length, 0))
      let at = 0
      for (const part of parts) {
        whole.set(part, at)
        at += part.length
      }
      return whole
    },
  }
}

export function elementBytes(values: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(values.length * ELEMENT_BYTES)
  const view = new DataView(bytes.buffer)
  for (const [i, value] of values.entries()) view.setUint32(i * ELEMENT_BYTES, value, true)
  return bytes
}

export type Reader = ReturnType<typeof createReader>

/** Reads strictly: exact lengths, canonical elements, no trailing bytes. */
export function createReader(source: Uint8Array) {
  const view = new DataView(source.buffer, source.byteOffset, source.byteLength)
  let at = 0

  function bytes(length: number): Uint8Array {
    if (source.length - at < length) throw new Refusal('the proof is truncated')
    at += length
    return source.slice(at - length, at)
  }

  function element(): number {
    if (source.length - at < ELEMENT_BYTES) throw new Refusal('the proof is truncated')
    const value = view.getUint32(at, true)
    if (!isElement(value)) throw new Refusal('the proof contains a non-canonical field element')
    at += ELEMENT_BYTES
    return value
  }

  const elements = (count: number) => Array.from({ length: count }, element)
  function extension(): Extension {
    const parts = elements(DEGREE)
    if (!isExtension(parts)) throw new Refusal('the proof contains a non-canonical field element')
    return parts
  }

  return {
    bytes,
    elements,
    extensions: (count: number) => Array.from({ length: count }, extension),
    digests: (count: number) => Array.from({ length: count }, () => bytes(DIGEST_BYTES)),
    end(): void {
      if (at !== source.length) throw new Refusal('unexpected bytes after the end of the proof')
    },
  }
}

export function concat(...parts: readonly Uint8Array[]): Uint8Array {
  const writer = createWriter()
  for (const part of parts) writer.bytes(part)
  return writer.finish()
}

export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i])
}
