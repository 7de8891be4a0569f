import { canonicalJson } from '../base/canonical-json.ts'
import { bytesToHex, equalBytes, isHashHex } from '../base/encoding.ts'
import { isJsonObject } from '../base/shape.ts'
import { hmacSha256 } from '../crypto/hmac.ts'
import type { Parsed } from './parsed.ts'

/**
 * Entries of the log (spec: log §1). An entry commits to a record and reveals nothing about it:
 * only a reader who has the record and its nonce can open the entry. The nonce follows from a salt
 * that is deleted when the agent is erased, after which no record opens its entry.
 */

export const LOG_ENTRY_TYPES = [
  'approval',
  'checkpoint',
  'containment',
  'decisions',
  'key',
  'outcome',
  'policy',
  'reclassification',
  'score',
] as const
export type LogEntryType = (typeof LOG_ENTRY_TYPES)[number]

export const LOG_ENTRY_VERSION = 1

export type LogEntry = {
  /** The time of the record in ISO 8601, UTC, with milliseconds. */
  at: string
  /** HMAC-SHA-256 of the canonical record under its nonce, in hex. */
  hash: string
  /** Tag of the organisation for the month of `at`: 32 hex digits. */
  org: string
  type: LogEntryType
  v: typeof LOG_ENTRY_VERSION
}

/** Shown together with an entry, opens that entry and no other. */
export type LogOpening = { nonce: Uint8Array; record: unknown }

export type LogEvent = {
  type: LogEntryType
  recordId: string
  record: unknown
  at: Date
  /** The salt of the agent, the organisation or the deployment, depending on the type. */
  salt: Uint8Array
  /** The salt of the organisation; that of the deployment for an event that has none. */
  orgSalt: Uint8Array
}

const SALT_BYTES = 32
const TAG_DIGITS = 32
const TAG_FORM = /^[0-9a-f]{32}$/
const FIELDS = 5

const utf8 = new TextEncoder()
const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Throws a TypeError if a salt does not have 32 bytes or the record has no JSON form. */
export function createLogEntry(event: LogEvent): { entry: LogEntry; nonce: Uint8Array } {
  const nonce = recordNonce(event.salt, event)
  const at = event.at.toISOString()
  const entry: LogEntry = {
    at,
    hash: recordHash({ nonce, record: event.record }),
    org: orgTag(event.orgSalt, at),
    type: event.type,
    v: LOG_ENTRY_VERSION,
  }
  return { entry, nonce }
}

export function recordNonce(
  salt: Uint8Array,
  { type, recordId }: { type: LogEntryType; recordId: string },
): Uint8Array {
  assertSalt(salt)
  return hmacSha256(salt, `${type}\n${recordId}`)
}

/** Counts the entries of an organisation in one month, for a reader who has been given the tag. */
export function orgTag(orgSalt: Uint8Array, at: string): string {
  assertSalt(orgSalt)
  return bytesToHex(hmacSha256(orgSalt, at.slice(0, 'YYYY-MM'.length))).slice(0, TAG_DIGITS)
}

function recordHash({ nonce, record }: LogOpening): string {
  return bytesToHex(hmacSha256(nonce, canonicalJson(record)))
}

/** The bytes of the entry in the log: its canonical JSON. */
export function writeLogEntry({ at, hash, org, type, v }: LogEntry): Uint8Array {
  return utf8.encode(canonicalJson({ at, hash, org, type, v }))
}

/** Accepts only what writeLogEntry writes. */
export function parseLogEntry(bytes: Uint8Array): Parsed<LogEntry> {
  const value = parseJson(bytes)
  if (!isLogEntry(value)) return { ok: false, reason: 'not a log entry of version 1' }
  return equalBytes(writeLogEntry(value), bytes)
    ? { ok: true, value }
    : { ok: false, reason: 'the entry is not canonical JSON' }
}

/** Whether the entry commits to the record. Throws a TypeError if the record has no JSON form. */
export function opensLogEntry(entry: LogEntry, opening: LogOpening): boolean {
  return recordHash(opening) === entry.hash
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(strictUtf8.decode(bytes))
  } catch {
    return undefined
  }
}

function isLogEntry(value: unknown): value is LogEntry {
  return (
    isJsonObject(value) &&
    Object.keys(value).length === FIELDS &&
    isInstant(value['at']) &&
    isMatch(value['hash'], isHashHex) &&
    isMatch(value['org'], (org) => TAG_FORM.test(org)) &&
    LOG_ENTRY_TYPES.some((type) => type === value['type']) &&
    value['v'] === LOG_ENTRY_VERSION
  )
}

function isInstant(value: unknown): boolean {
  return isMatch(value, (text) => {
    const time = new Date(text)
    return !Number.isNaN(time.getTime()) && time.toISOString() === text
  })
}

function isMatch(value: unknown, test: (text: string) => boolean): boolean {
  return typeof value === 'string' && test(value)
}

function assertSalt(salt: Uint8Array): void {
  if (salt.length !== SALT_BYTES) throw new TypeError('a salt must have 32 bytes')
}
