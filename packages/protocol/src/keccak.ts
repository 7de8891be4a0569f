import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex } from './encoding.ts'

/** Keccak-256 of UTF-8 text, as the EVM computes it: the id an agent has on the chain. */
export function keccak256Hex(text: string): string {
  return bytesToHex(keccak_256(new TextEncoder().encode(text)))
}
