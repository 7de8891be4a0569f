// biome-ignore-all lint/performance/noBarrelFile: the one entry point of a published package
export { formatApiKey, isWellFormedApiKey } from './api-key.ts'
export { canonicalJson } from './canonical-json.ts'
export { hashCanonical, sha256Bytes, sha256Hex } from './hash.ts'
