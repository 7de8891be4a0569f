import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createSseParser } from './sse-parser.ts'

const STREAM = [
  ': welcome\n\n',
  'retry: 2000\n\n',
  'event: open\nid: 7\ndata: {"at": 7}\n\n',
  'id:8\r\nevent:score.changed\r\ndata:{"agent_id":"a: b"}\r\n\r\n',
  'data: {"two":\ndata: "lines"}\n\n',
  'id: 9\n\n',
  'data: "not an object"\r\r',
].join('')

const EVENTS = [
  { id: '7', type: 'open', data: { at: 7 } },
  { id: '8', type: 'score.changed', data: { agent_id: 'a: b' } },
  { id: undefined, type: 'message', data: { two: 'lines' } },
  { id: undefined, type: 'message', data: {} },
]

describe('createSseParser', () => {
  it('finds the same events however the text is split', () => {
    const cuts = fc.array(fc.nat(STREAM.length), { maxLength: 12 })
    fc.assert(
      fc.property(cuts, (places) => {
        const parser = createSseParser()
        const sorted = [0, ...places.toSorted((a, b) => a - b), STREAM.length]
        const found = sorted.flatMap((place, at) =>
          parser.push(STREAM.slice(place, sorted[at + 1])),
        )
        // A trailing carriage return may be the first half of a CRLF.
        expect([...found, ...parser.push('\n')]).toEqual(EVENTS)
        expect(parser.lastEventId()).toBe('9')
      }),
    )
  })

  it('keeps the last event id across a reconnect and discards an incomplete frame', () => {
    const parser = createSseParser()
    expect(parser.push('id: 3\ndata: {}\n\nid: 4\ndata: {"lost"')).toHaveLength(1)
    parser.drop()
    expect(parser.lastEventId()).toBe('3')
    expect(parser.push('id: 4\ndata: {"again": 1}\n\n')).toEqual([
      { id: '4', type: 'message', data: { again: 1 } },
    ])
  })
})
