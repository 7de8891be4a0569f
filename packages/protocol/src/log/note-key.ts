import { base64ToBytes, bytesToBase64, bytesToHex } from '../base/encoding.ts'
import { PUBLIC_KEY_BYTES } from '../crypto/ed25519.ts'
import { sha256Bytes } from '../crypto/hash.ts'
import { ML_DSA_44 } from '../crypto/ml-dsa.ts'
import type { Parsed } from './parsed.ts'

/** Verifier keys of signed notes (c2sp.org/signed-note; spec: log §2). */

/**
 * The types of signatures that we verify: Ed25519 over the text of a note, and cosignatures of a
 * checkpoint at a time, with Ed25519 or ML-DSA-44.
 */
const KEY_TYPES = {
  ed25519: { byte: 0x01, publicKeyBytes: PUBLIC_KEY_BYTES },
  cosignature: { byte: 0x04, publicKeyBytes: PUBLIC_KEY_BYTES },
  'ml-dsa-44': { byte: 0x06, publicKeyBytes: ML_DSA_44.publicKeyBytes },
} as const
export type KeyType = keyof typeof KEY_TYPES

export type NoteKey = {
  name: string
  /** Eight hex digits: with the name, identifies the key in a signature line. */
  id: string
  type: KeyType
  publicKey: Uint8Array
}

const ID_BYTES = 4
const ID_FORM = /^[0-9a-f]{8}$/

/** Neither Unicode spaces nor control characters nor plus, which separates the parts of a vkey. */
const NAME_FORM = /^[^\s\p{Cc}\p{Cs}+]+$/u

const utf8 = new TextEncoder()

export function isKeyName(name: string): boolean {
  return NAME_FORM.test(name)
}

/** Throws a TypeError if the name or the length of the key is not allowed. */
export function createNoteKey(key: Omit<NoteKey, 'id'>): NoteKey {
  if (!isKeyName(key.name)) throw new TypeError('a key name has no spaces and no plus')
  const { publicKeyBytes } = KEY_TYPES[key.type]
  if (key.publicKey.length !== publicKeyBytes) {
    throw new TypeError(`the public key must have ${publicKeyBytes} bytes`)
  }
  return {
    name: key.name,
    id: keyIdOf(key.name, materialOf(key)),
    type: key.type,
    publicKey: key.publicKey,
  }
}

/** `<name>+<id>+<base64 of the type and the public key>`. */
export function writeVkey(key: NoteKey): string {
  return `${key.name}+${key.id}+${bytesToBase64(materialOf(key))}`
}

export function parseVkey(vkey: string): Parsed<NoteKey> {
  const [name = '', id = '', ...encodedParts] = vkey.split('+')
  // Base64 may contain a plus, so only the first two separate.
  const encoded = encodedParts.join('+')
  const material = base64ToBytes(encoded)
  if (!isKeyName(name) || !ID_FORM.test(id) || material === undefined) {
    return { ok: false, reason: 'must have the form <name>+<8 hex digits>+<base64>' }
  }
  if (keyIdOf(name, material) !== id) {
    return { ok: false, reason: `the key id ${id} does not belong to this name and key` }
  }
  const type = typeOf(material[0])
  if (type === undefined) {
    return { ok: false, reason: `signature type ${material[0] ?? 'missing'} is not supported` }
  }
  const publicKey = material.slice(1)
  const { publicKeyBytes } = KEY_TYPES[type]
  if (publicKey.length !== publicKeyBytes) {
    return { ok: false, reason: `the public key must have ${publicKeyBytes} bytes` }
  }
  return { ok: true, value: { name, id, type, publicKey } }
}

function typeOf(byte: number | undefined): KeyType | undefined {
  const types: KeyType[] = ['ed25519', 'cosignature', 'ml-dsa-44']
  return types.find((type) => KEY_TYPES[type].byte === byte)
}

function materialOf({ type, publicKey }: Omit<NoteKey, 'id'>): Uint8Array {
  return Uint8Array.of(KEY_TYPES[type].byte, ...publicKey)
}

function keyIdOf(name: string, material: Uint8Array): string {
  const digest = sha256Bytes(Uint8Array.of(...utf8.encode(`${name}\n`), ...material))
  return bytesToHex(digest.subarray(0, ID_BYTES))
}
