import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  PROVENANCES,
  provenanceOf,
  REPORTED_AGE_MS_MAX,
  type ReceivedRecord,
  type RecordSource,
} from './provenance.ts'

const AT = new Date('2026-03-02T00:00:00.000Z')
const AGENT = 'agent-demo'
const before = (ms: number) => new Date(AT.getTime() - ms)
const GUARD: RecordSource = { kind: 'api', client: 'mcp_guard', boundTo: AGENT }

const of = (changes: Partial<ReceivedRecord>) =>
  provenanceOf({
    source: GUARD,
    agentId: AGENT,
    namesDecisions: true,
    timestamp: AT,
    receivedAt: AT,
    ...changes,
  })

describe('the provenance of a record', () => {
  it('is observed if the service read it in the traffic, whatever else is true', () => {
    const source = { kind: 'model_traffic' } as const
    expect(of({ source })).toBe('observed')
    expect(of({ source, namesDecisions: false, timestamp: before(1e12) })).toBe('observed')
  })

  it.each(['sdk', 'mcp_guard', 'hook'])(
    'is relayed from a bound %s that names decisions',
    (client) => {
      const source = { kind: 'api', client, boundTo: AGENT } as const
      expect(of({ source })).toBe('relayed')
      expect(of({ source, timestamp: before(1e12) })).toBe('relayed')
      expect(of({ source, namesDecisions: false })).toBe('reported')
      expect(of({ source: { ...source, boundTo: null } })).toBe('reported')
      expect(of({ source: { ...source, boundTo: 'agent-other' } })).toBe('reported')
    },
  )

  it('is not relayed from any other client', () => {
    expect(of({ source: { kind: 'api', client: 'api', boundTo: AGENT } })).toBe('reported')
    expect(of({ source: { kind: 'api', client: 'SDK', boundTo: AGENT } })).toBe('reported')
  })

  it('is relayed if the gateway found it out', () => {
    expect(of({ source: { kind: 'gateway' } })).toBe('relayed')
  })

  it('is imported from OpenTelemetry, however fresh', () => {
    expect(of({ source: { kind: 'otlp' } })).toBe('imported')
    expect(of({ source: { kind: 'otlp' }, namesDecisions: true })).toBe('imported')
  })

  it('is imported from one millisecond beyond a day', () => {
    const reported = { source: { kind: 'api', client: 'api', boundTo: null } } as const
    expect(of({ ...reported, timestamp: before(REPORTED_AGE_MS_MAX) })).toBe('reported')
    expect(of({ ...reported, timestamp: before(REPORTED_AGE_MS_MAX + 1) })).toBe('imported')
    expect(of({ ...reported, timestamp: before(-300_000) })).toBe('reported')
  })

  it('is relayed only with all three: a relaying client, its own agent and a decision', () => {
    const sources = fc.oneof(
      fc.constant<RecordSource>({ kind: 'otlp' }),
      fc.record({
        kind: fc.constant('api' as const),
        client: fc.constantFrom('api', 'sdk', 'mcp_guard', 'hook', ''),
        boundTo: fc.constantFrom(AGENT, 'agent-other', null),
      }),
    )
    const ages = fc.integer({ min: -300_000, max: 90 * REPORTED_AGE_MS_MAX })
    fc.assert(
      fc.property(sources, fc.boolean(), ages, (source, namesDecisions, ageMs) => {
        const found = of({ source, namesDecisions, timestamp: before(ageMs) })
        expect(PROVENANCES).toContain(found)
        expect(found).not.toBe('observed')
        const relays =
          source.kind === 'api' &&
          source.client !== 'api' &&
          source.client !== '' &&
          source.boundTo === AGENT &&
          namesDecisions
        expect(found === 'relayed').toBe(relays)
      }),
    )
  })
})
