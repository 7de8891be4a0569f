export { checkpointBody, hasPossibleRoot, type LogHead } from './checkpoint-body.ts'
export { cosignedMessage, writeCosignature } from './cosignature.ts'
export {
  createLogEntry,
  LOG_ENTRY_TYPES,
  type LogEntry,
  type LogEntryType,
  type LogEvent,
  type LogOpening,
  opensLogEntry,
  orgTag,
  parseLogEntry,
  recordNonce,
  writeLogEntry,
} from './entry.ts'
export { LOG_ENTRY_BYTES_MAX, readBundle, writeBundle } from './entry-bundle.ts'
export {
  type Comparison,
  compareHeads,
  followLog,
  type HeadComparison,
  isKnownTree,
  type KnownTree,
  type LogReader,
} from './follow-log.ts'
export { type LogCheckpoint, parseLogCheckpoint, verifyLogCheckpoint } from './log-checkpoint.ts'
export {
  describeLogged,
  describeProven,
  LOG_PROOF,
  type LogProof,
  type ProvenRecord,
  verifyLogProof,
} from './log-proof.ts'
export { createNoteKey, isKeyName, type NoteKey, parseVkey, writeVkey } from './note-key.ts'
export { type Parsed, parseCount, parseHashes } from './parsed.ts'
export { type TrustedCheckpoint, verifyByPolicy, verifySignatures } from './policy-check.ts'
export {
  type NoteSignature,
  parseNote,
  parseSignatureLines,
  type SignedNote,
  signatureLine,
  signNote,
  type VerifiedSignature,
  verifyNote,
  writeNote,
} from './signed-note.ts'
export {
  type Bundle,
  bundlePath,
  bundlesOfGrowth,
  parseTilePath,
  readTile,
  type StoredTile,
  TILE_WIDTH,
  type Tile,
  type TileReader,
  type TileResource,
  tileInTree,
  tilePath,
  tilesOfGrowth,
  writeTile,
} from './tile.ts'
export {
  appendToTiles,
  consistencyProofFromTiles,
  type Growth,
  inclusionProofFromTiles,
  type RangeEdges,
  rangeEdgesFromTiles,
  rootFromTiles,
} from './tile-tree.ts'
export {
  hasQuorum,
  NO_QUORUM,
  type PolicyGroup,
  type PolicyLog,
  type PolicyWitness,
  parseTlogPolicy,
  type TlogPolicy,
  writeTlogPolicy,
} from './tlog-policy.ts'
export { parseTlogProof, type TlogProof, verifyTlogProof, writeTlogProof } from './tlog-proof.ts'
export {
  type AddCheckpoint,
  type Judgement,
  judgeAddCheckpoint,
  parseAddCheckpoint,
  type WitnessView,
  writeAddCheckpoint,
} from './witness-request.ts'
