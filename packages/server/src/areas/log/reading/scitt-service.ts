import type { LogEntry } from '@touchstone/protocol/log'
import { encode, rfc8949EncodeOptions } from 'cborg'

/**
 * Statements and receipts of SCITT (spec: log §5.1): COSE_Sign1 messages (RFC 9052) in deterministic
 * CBOR. A receipt (RFC 9942) is a signed root with the path that leads to it.
 */

/** Signs with the key of the log. */
export type CoseSigner = {
  origin: string
  /** As in GET /v1/keys. */
  keyId: string
  sign(message: Uint8Array): Uint8Array
}

export type InclusionPath = {
  index: number
  size: number
  root: Uint8Array
  /** From the leaf to the root. */
  hashes: readonly Uint8Array[]
}

/** Names of header parameters, which COSE numbers. */
const ALGORITHM = 1
const CONTENT_TYPE = 3
const KEY_ID = 4
const CLAIMS = 15
const TREE_TYPE = 395
const TREE_PROOFS = 396

const EDDSA = -8
const ISSUER = 1
const SUBJECT = 2
const RFC9162_SHA256 = 1
const INCLUSION = -1

/** Tag 18, as CBOR writes it before the message. */
const SIGN1_TAG = 0xd2
const NOTHING = new Uint8Array()

const utf8 = new TextEncoder()

type Header = Map<number, unknown>

/** The statement that the log has an entry. Its payload is the entry, so that its hash is the leaf. */
export function writeStatement(
  { entry, bytes }: { entry: LogEntry; bytes: Uint8Array },
  signer: CoseSigner,
): Uint8Array {
  const header = headerOf(entry, signer).set(CONTENT_TYPE, 'application/json')
  return sign1({ header, unsigned: new Map(), payload: bytes }, signer)
}

/** The receipt for a statement. The payload, the root, is left out: readers compute it from the path. */
export function writeReceipt(
  entry: LogEntry,
  { index, size, root, hashes }: InclusionPath,
  signer: CoseSigner,
): Uint8Array {
  const header = headerOf(entry, signer).set(TREE_TYPE, RFC9162_SHA256)
  const unsigned: Header = new Map([
    [TREE_PROOFS, new Map([[INCLUSION, [cbor([size, index, hashes])]]])],
  ])
  return sign1({ header, unsigned, payload: root, isDetached: true }, signer)
}

/** The subject is the commitment: the record itself may be personal. */
function headerOf(entry: LogEntry, { origin, keyId }: CoseSigner): Header {
  return new Map<number, unknown>([
    [ALGORITHM, EDDSA],
    [KEY_ID, utf8.encode(keyId)],
    [
      CLAIMS,
      new Map([
        [ISSUER, origin],
        [SUBJECT, entry.hash],
      ]),
    ],
  ])
}

function sign1(
  message: { header: Header; unsigned: Header; payload: Uint8Array; isDetached?: boolean },
  { sign }: CoseSigner,
): Uint8Array {
  const { unsigned, payload, isDetached = false } = message
  const header = cbor(message.header)
  const signature = sign(cbor(['Signature1', header, NOTHING, payload]))
  const body = cbor([header, unsigned, isDetached ? null : payload, signature])
  return Uint8Array.of(SIGN1_TAG, ...body)
}

function cbor(value: unknown): Uint8Array {
  return encode(value, rfc8949EncodeOptions)
}
