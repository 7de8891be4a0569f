import { sha256 as digest } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import type { Sha256 } from './sha256.ts'

function bytes(input: Uint8Array | string): Uint8Array {
  return digest(typeof input === 'string' ? utf8ToBytes(input) : input)
}

export const sha256: Sha256 = {
  bytes,
  hex: (input) => bytesToHex(bytes(input)),
}
