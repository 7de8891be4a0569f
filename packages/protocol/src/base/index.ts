export { canonicalJson } from './canonical-json.ts'
export {
  base64ToBytes,
  bytesToBase64,
  bytesToHex,
  equalBytes,
  hexToBytes,
  isHashHex,
} from './encoding.ts'
export { escapeInvisible } from './escape-invisible.ts'
export { escapeXml } from './escape-xml.ts'
export { round, roundTo } from './rounding.ts'
export { createShape, type Finding, isJsonObject, parseInstant, type Shape } from './shape.ts'
export {
  JSON_LIMITS,
  type JsonLimits,
  type JsonResult,
  parseStrictText,
} from './strict-json.ts'
