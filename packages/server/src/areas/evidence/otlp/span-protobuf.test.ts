import {
  JsonTraceSerializer,
  ProtobufLogsSerializer,
  ProtobufTraceSerializer,
} from '@opentelemetry/otlp-transformer'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '#harness/runs.ts'
import { recorded, recordedSpans, STYLES } from './recorded.fixture.ts'
import { toExportMessage, toSpanAnswer } from './schema.ts'
import { MalformedRequest } from './span.ts'
import { spansOfJson } from './span-json.ts'
import { spansOfProtobuf } from './span-protobuf.ts'

type ReadableSpans = Parameters<typeof ProtobufTraceSerializer.serializeRequest>[0]

/** Text that both encodings can represent and the service accepts. */
const text = fc
  .string({ unit: 'grapheme', maxLength: 30 })
  .filter((value) => !/[\0\p{Surrogate}]/u.test(value))
const value = fc.oneof(
  text,
  fc.boolean(),
  fc.maxSafeInteger(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => (n === 0 ? 0.5 : n)),
  fc.array(text, { maxLength: 4 }),
)
const attributes = fc.dictionary(
  text.filter((key) => key !== '' && key !== '__proto__'),
  value,
  { maxKeys: 6 },
)
const hex = (bytes: number) =>
  fc
    .uint8Array({ minLength: bytes, maxLength: bytes })
    .map((array) => Buffer.from(array).toString('hex'))
const time = fc.tuple(
  fc.integer({ min: 0, max: 2 ** 31 }),
  fc.integer({ min: 0, max: 999_999_999 }),
)

/** Spans as the SDK passes them to its exporters. */
const spans = fc.array(
  fc.record({
    name: text,
    kind: fc.integer({ min: 0, max: 4 }),
    ids: fc.tuple(hex(16), hex(8), fc.option(hex(8), { nil: undefined })),
    startTime: time,
    endTime: time,
    status: fc.record({ code: fc.integer({ min: 0, max: 2 }), message: text }),
    attributes,
    events: fc.array(fc.record({ name: text, time, attributes }), { maxLength: 3 }),
    resource: fc.constantFrom(
      { 'service.name': 'a' },
      { 'touchstone.agent_id': 'b', deep: [1, 2] },
    ),
    scope: fc.constantFrom({ name: 'one' }, { name: 'two', version: '2' }),
  }),
  { maxLength: 6 },
)

function toReadable(made: typeof spans extends fc.Arbitrary<infer T> ? T : never): ReadableSpans {
  const resources = new Map<object, object>()
  return made.map(({ ids: [traceId, spanId, parentSpanId], resource, scope, ...span }) => {
    const shared = resources.get(resource) ?? { attributes: resource }
    resources.set(resource, shared)
    return {
      ...span,
      spanContext: () => ({ traceId, spanId, traceFlags: 1 }),
      ...(parentSpanId === undefined
        ? {}
        : { parentSpanContext: { traceId, spanId: parentSpanId, traceFlags: 1 } }),
      links: [],
      ended: true,
      duration: [0, 0],
      resource: shared,
      instrumentationScope: scope,
      droppedAttributesCount: 3,
      droppedEventsCount: 0,
      droppedLinksCount: 0,
    }
  }) as unknown as ReadableSpans
}

describe('the protobuf encoding', () => {
  it('is read as the official encoder writes it, with the same result as JSON', () => {
    fc.assert(
      fc.property(spans, (made) => {
        const readable = toReadable(made)
        const bytes = ProtobufTraceSerializer.serializeRequest(readable) ?? new Uint8Array()
        const json = JsonTraceSerializer.serializeRequest(readable) ?? new Uint8Array()
        const fromBytes = spansOfProtobuf(bytes)
        expect(fromBytes).toEqual(spansOfJson(JSON.parse(new TextDecoder().decode(json))))
        const sent = (span: { name: string; traceId: string }) => `${span.traceId} ${span.name}`
        expect(fromBytes.map(sent).sort()).toEqual(
          made.map((span) => sent({ name: span.name, traceId: span.ids[0] })).sort(),
        )
      }),
      runs(300),
    )
  })

  it('keeps every attribute of a span', () => {
    fc.assert(
      fc.property(spans, (made) => {
        const [first] = made
        if (first === undefined) return
        const bytes = ProtobufTraceSerializer.serializeRequest(toReadable([first]))
        const [read] = spansOfProtobuf(bytes ?? new Uint8Array())
        expect(Object.fromEntries(read?.attributes ?? [])).toEqual(first.attributes)
        expect(read?.failed).toBe(first.status.code === 2)
      }),
      runs(300),
    )
  })

  it('is rejected if it is truncated, or yields fewer spans', () => {
    for (const style of STYLES) {
      const bytes = recorded(style, 'binpb')
      const whole = recordedSpans(style, 'binpb').length
      for (let length = 0; length < bytes.length; length += 1) {
        const read = attempt(bytes.subarray(0, length))
        expect(read === 'refused' || read.length < whole, `${style} ${length}`).toBe(true)
      }
    }
  })

  it('is rejected or read, whatever the bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        attempt(bytes)
      }),
      runs(3000),
    )
    const real = recorded('current', 'binpb')
    fc.assert(
      fc.property(fc.nat(real.length - 1), fc.integer({ min: 0, max: 255 }), (at, byte) => {
        const changed = Buffer.from(real)
        changed[at] = byte
        attempt(changed)
      }),
      runs(3000),
    )
  })

  it.each([
    ['a group', [0x0b]],
    ['field number 0', [0x02, 0x00]],
    ['a length beyond the end', [0x0a, 0x05, 0x00]],
    ['a length of 64 bits', [0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]],
    ['a number that never ends', [0x08, ...Array(11).fill(0x80)]],
    ['spans that are a number', [0x08, 0x01]],
  ])('refuses %s', (_what, bytes) => {
    expect(attempt(Uint8Array.from(bytes))).toBe('refused')
  })

  it('rejects values nested too deep', () => {
    let value = Buffer.from([0x0a, 0x01, 0x61])
    const wrap = (tag: number, inner: Buffer) =>
      Buffer.concat([Buffer.from([tag]), lengthOf(inner), inner])
    for (let depth = 0; depth < 40; depth += 1) value = wrap(0x2a, wrap(0x0a, value))
    const attribute = wrap(
      0x4a,
      Buffer.concat([Buffer.from([0x0a, 0x01, 0x6b]), wrap(0x12, value)]),
    )
    const request = wrap(0x0a, wrap(0x12, wrap(0x12, attribute)))
    expect(attempt(request)).toBe('refused')
  })

  it('rejects more spans than the limit, in both encodings', () => {
    const SPANS_MAX = 20_000
    // Two bytes each, in groups short enough for a two-byte length.
    const group = Buffer.from(
      [0x0a, 0xd3, 0x0f, 0x12, 0xd0, 0x0f, ...Array(1000).fill([0x12, 0])].flat(),
    )
    const groups = (count: number) => Buffer.concat(Array(count).fill(group))
    expect(attempt(groups(SPANS_MAX / 1000))).toHaveLength(SPANS_MAX)
    expect(attempt(groups(SPANS_MAX / 1000 + 1))).toBe('refused')
    const json = (count: number) => ({
      resourceSpans: [{ scopeSpans: [{ spans: Array(count).fill({}) }] }],
    })
    expect(spansOfJson(json(SPANS_MAX))).toHaveLength(SPANS_MAX)
    expect(() => spansOfJson(json(SPANS_MAX + 1))).toThrow(MalformedRequest)
  })
})

describe('an answer', () => {
  it('can be read by the official decoder', () => {
    const tally = { accepted: 1, duplicates: 0, ignored: 2, rejected: 300, message: '300 spans: é' }
    expect(ProtobufTraceSerializer.deserializeResponse(toExportMessage(tally))).toEqual({
      partialSuccess: { rejectedSpans: 300, errorMessage: '300 spans: é' },
    })
    expect(toSpanAnswer(tally)).toEqual({
      partialSuccess: { rejectedSpans: '300', errorMessage: '300 spans: é' },
    })
    expect(ProtobufLogsSerializer.deserializeResponse(toExportMessage(tally))).toEqual({
      partialSuccess: { rejectedLogRecords: 300, errorMessage: '300 spans: é' },
    })
    const warned = { ...tally, rejected: 0 }
    expect(ProtobufTraceSerializer.deserializeResponse(toExportMessage(warned))).toMatchObject({
      partialSuccess: { errorMessage: '300 spans: é' },
    })
    const full = { ...tally, rejected: 0, message: '' }
    expect(toExportMessage(full)).toHaveLength(0)
    expect(toSpanAnswer(full)).toEqual({})
  })
})

function attempt(bytes: Uint8Array) {
  try {
    return spansOfProtobuf(bytes)
  } catch (err) {
    if (err instanceof MalformedRequest) return 'refused'
    throw err
  }
}

function lengthOf(bytes: Buffer): Buffer {
  return bytes.length < 128
    ? Buffer.from([bytes.length])
    : Buffer.from([(bytes.length % 128) + 128, Math.floor(bytes.length / 128)])
}
