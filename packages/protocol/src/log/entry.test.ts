import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '#harness/runs.ts'
import { bytesToHex } from '../base/encoding.ts'
import {
  createLogEntry,
  LOG_ENTRY_TYPES,
  type LogEvent,
  opensLogEntry,
  orgTag,
  parseLogEntry,
  writeLogEntry,
} from './entry.ts'

const salt = new Uint8Array(32).fill(1)
const orgSalt = new Uint8Array(32).fill(2)
const event: LogEvent = {
  type: 'outcome',
  recordId: 'dec-1',
  record: { status: 'ok', decision_id: 'dec-1', error: null },
  at: new Date('2026-11-30T23:59:59.999Z'),
  salt,
  orgSalt,
}
const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes)
const bytes = (value: string) => new TextEncoder().encode(value)

describe('an entry of the log', () => {
  it('is the canonical JSON of the HMACs of the specification', () => {
    const { entry, nonce } = createLogEntry(event)
    const expected = createHmac('sha256', salt).update('outcome\ndec-1').digest()
    expect(bytesToHex(nonce)).toBe(expected.toString('hex'))
    const record = '{"decision_id":"dec-1","error":null,"status":"ok"}'
    const hash = createHmac('sha256', expected).update(record).digest('hex')
    const org = createHmac('sha256', orgSalt).update('2026-11').digest('hex').slice(0, 32)
    expect(text(writeLogEntry(entry))).toBe(
      `{"at":"2026-11-30T23:59:59.999Z","hash":"${hash}","org":"${org}","type":"outcome","v":1}`,
    )
  })

  it('is opened by its record and nonce, and by no other', () => {
    const { entry, nonce } = createLogEntry(event)
    expect(opensLogEntry(entry, { nonce, record: event.record })).toBe(true)
    expect(opensLogEntry(entry, { nonce, record: { ...Object(event.record), error: '' } })).toBe(
      false,
    )
    const other = createLogEntry({ ...event, recordId: 'dec-2' })
    expect(opensLogEntry(entry, { nonce: other.nonce, record: event.record })).toBe(false)
    const type = createLogEntry({ ...event, type: 'approval' })
    expect(type.nonce).not.toEqual(nonce)
    const changed = createLogEntry({ ...event, salt: new Uint8Array(32).fill(3) })
    expect(changed.entry.hash).not.toBe(entry.hash)
  })

  it('carries a tag that changes with the month and the organisation only', () => {
    const tag = orgTag(orgSalt, '2026-11-01T00:00:00.000Z')
    expect(createLogEntry(event).entry.org).toBe(tag)
    expect(orgTag(orgSalt, '2026-12-01T00:00:00.000Z')).not.toBe(tag)
    expect(orgTag(salt, '2026-11-01T00:00:00.000Z')).not.toBe(tag)
  })

  it('is read back, whatever it commits to', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...LOG_ENTRY_TYPES),
        fc.string(),
        fc.jsonValue({ noUnicodeString: true }),
        fc.date({ min: new Date(0), max: new Date('9999-12-31'), noInvalidDate: true }),
        (type, recordId, record, at) => {
          const { entry, nonce } = createLogEntry({ ...event, type, recordId, record, at })
          expect(parseLogEntry(writeLogEntry(entry))).toEqual({ ok: true, value: entry })
          expect(opensLogEntry(entry, { nonce, record })).toBe(true)
        },
      ),
      runs(1000),
    )
  })

  it('is refused in any other spelling or shape', () => {
    const good = text(writeLogEntry(createLogEntry(event).entry))
    expect(parseLogEntry(bytes(good))).toMatchObject({ ok: true })
    const bad = [
      '',
      'null',
      '[]',
      ` ${good}`,
      `\ufeff${good}`,
      good.replace('"v":1', '"v":2'),
      good.replace('"v":1', '"v":1.0'),
      good.replace('outcome', 'other'),
      good.replace('.999Z', 'Z'),
      good.replace('2026-11-30', '2026-11-31'),
      good.replace('"v":1', '"v":1,"x":1'),
      good.replace(/"hash":"./, '"hash":"g'),
      good.replace(/"org":"./, '"org":"'),
      good.replace('{"at"', '{"v":1,"at"'),
      good.slice(0, -1),
    ]
    for (const one of bad) expect(parseLogEntry(bytes(one)), one).toMatchObject({ ok: false })
    expect(parseLogEntry(Uint8Array.of(0xff))).toMatchObject({ ok: false })
  })

  it('needs salts of 32 bytes and a record with a JSON form', () => {
    const short = new Uint8Array(31)
    expect(() => createLogEntry({ ...event, salt: short })).toThrow(TypeError)
    expect(() => createLogEntry({ ...event, orgSalt: short })).toThrow(TypeError)
    expect(() => createLogEntry({ ...event, record: { at: new Date() } })).toThrow(TypeError)
  })
})
