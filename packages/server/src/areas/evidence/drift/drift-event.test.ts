import { describe, expect, it } from 'vitest'
import { anAlert } from './alert.fixture.ts'
import { detectedEvent, resolvedEvent } from './drift-event.ts'

describe('the event of an alert', () => {
  it('has all fields of the specification when it opens (spec: evidence §7)', () => {
    expect(detectedEvent(anAlert())).toEqual({
      type: 'drift.detected',
      data: {
        alert_id: 'ida-1',
        agent_id: 'agent-1',
        session_id: 's1',
        kind: 'integrity',
        severity: 'medium',
        drift_direction: 'unknown',
        similarity: 0.4,
        sustained_checks: 3,
        message: '3 consecutive checkpoints of the session were not clear.',
      },
    })
  })

  it.each([
    ['acknowledged', 'user-1'],
    ['recovered', null],
  ] as const)('says by whom it was %s: %s', (resolution, acknowledgedBy) => {
    const alert = { ...anAlert({ acknowledgedBy }), resolution }
    expect(resolvedEvent(alert)).toEqual({
      type: 'drift.resolved',
      data: {
        alert_id: 'ida-1',
        agent_id: 'agent-1',
        org_id: 'org-1',
        resolution,
        acknowledged_by: acknowledgedBy,
      },
    })
  })
})
