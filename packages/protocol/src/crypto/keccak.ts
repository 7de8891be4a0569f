import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex } from '../base/encoding.ts'

/** Keccak-256, as the EVM computes it. */
export function keccak256(bytes: Uint8Array): Uint8Array {
  return keccak_256(bytes)
}

/** Keccak-256 of UTF-8 text: an agent's on-chain id, without prefix. */
export function keccak256Hex(text: string): string {
  return bytesToHex(keccak256(new TextEncoder().encode(text)))
}
