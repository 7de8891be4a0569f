import { describe, expect, it } from 'vitest'
import { driftSpan, traceSpan } from './trace-span.ts'

const timing = { startedAt: new Date('2026-03-01T12:00:00Z'), durationMs: 2 }
const TEXT = 'Among the forbidden actions: "delete".'

const verified = {
  ...timing,
  traceId: 'tr-1',
  cardId: 'ac-1',
  verification: { verified: true, violation_details: [], warnings: [] },
}

describe('traceSpan', () => {
  it('has exactly the attributes of the specification (spec: platform §6.2)', () => {
    expect(traceSpan(verified)).toEqual({
      name: 'aap.verify_trace',
      ...timing,
      attributes: {
        'aap.verification.result': true,
        'aap.verification.violations_count': 0,
        'aap.verification.warnings_count': 0,
        'aap.verification.trace_id': 'tr-1',
        'aap.verification.card_id': 'ac-1',
        'aap.verification.duration_ms': 2,
      },
      events: [],
    })
  })

  it('contains type and severity of each violation, but no text', () => {
    const detail = { description: TEXT, trace_field: 'action.name' }
    const span = traceSpan({
      ...verified,
      verification: {
        verified: false,
        violation_details: [
          { type: 'FORBIDDEN_ACTION', severity: 'critical', ...detail },
          { type: 'UNDECLARED_VALUE', severity: 'medium', ...detail },
        ],
        warnings: [{ type: 'near_boundary', ...detail }],
      },
    })
    expect(span.attributes).toMatchObject({
      'aap.verification.result': false,
      'aap.verification.violations_count': 2,
      'aap.verification.warnings_count': 1,
    })
    expect(span.events).toEqual([
      {
        name: 'aap.violation',
        attributes: {
          'aap.violation.type': 'FORBIDDEN_ACTION',
          'aap.violation.severity': 'critical',
        },
      },
      {
        name: 'aap.violation',
        attributes: {
          'aap.violation.type': 'UNDECLARED_VALUE',
          'aap.violation.severity': 'medium',
        },
      },
    ])
    expect(JSON.stringify(span)).not.toContain(TEXT)
  })
})

describe('driftSpan', () => {
  it('has exactly the attributes of the specification (spec: platform §6.2)', () => {
    expect(driftSpan({ ...timing, tracesAnalyzed: 40, alertsOpened: 1 })).toEqual({
      name: 'aap.detect_drift',
      ...timing,
      attributes: { 'aap.drift.alerts_count': 1, 'aap.drift.traces_analyzed': 40 },
      events: [],
    })
  })
})
