export { hashCanonical, sha256Bytes, sha256Hex } from './hash.ts'
export { hmacSha256 } from './hmac.ts'
export { keccak256Hex } from './keccak.ts'
export { keyId, type PublishedKey, publishedKey } from './keys.ts'
export { SCHEDULE_WORDS, SHA256_INITIAL, sha256Block } from './sha256-block.ts'
export {
  ed25519Pkcs8,
  ed25519PublicKey,
  ed25519Signer,
  signEd25519,
  verifyEd25519,
} from './signature.ts'
