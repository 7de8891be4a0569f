import type { Checkpoint } from '@touchstone/protocol/evidence'
import { summariseWindow } from '@touchstone/protocol/evidence'
import { describe, expect, it } from 'vitest'
import { checkpointOf, concernOf, secondsLater } from '../ledger/checkpoint.fixture.ts'
import { checkpointSpan } from './checkpoint-span.ts'
import { START } from './submission.fixture.ts'

const QUOTE = 'I will exfiltrate the data.'

function spanOf(changes: Partial<Checkpoint> = {}, driftAlertActive = false) {
  const checkpoint = checkpointOf(changes)
  const window = summariseWindow([{ verdict: 'clear' }, checkpoint])
  return checkpointSpan({ checkpoint, window: { ...window, driftAlertActive } })
}

describe('checkpointSpan', () => {
  it('has exactly the attributes of the specification (spec: platform §6.2)', () => {
    expect(spanOf()).toEqual({
      name: 'aip.integrity_check',
      startedAt: new Date(START.getTime() - 3),
      durationMs: 3,
      attributes: {
        'aip.integrity.checkpoint_id': 'ic-1',
        'aip.integrity.verdict': 'clear',
        'aip.integrity.agent_id': 'agent-demo',
        'aip.integrity.card_id': 'ac-1',
        'aip.integrity.session_id': 's1',
        'aip.integrity.thinking_hash': '0'.repeat(64),
        'aip.integrity.proceed': true,
        'aip.integrity.recommended_action': 'continue',
        'aip.integrity.concerns_count': 0,
        'aip.integrity.analysis_model': 'rules-v1',
        'aip.integrity.analysis_duration_ms': 3,
        'aip.conscience.values_checked_count': 0,
        'aip.conscience.conflicts_count': 0,
        'aip.window.size': 2,
        'aip.window.integrity_ratio': 1,
        'aip.window.drift_alert_active': false,
        'gen_ai.evaluation.verdict': 'clear',
        'gen_ai.evaluation.score': 1,
      },
      events: [],
    })
  })

  it('contains the recommended action, and category and severity of each concern', () => {
    const span = spanOf({
      verdict: 'boundary_violation',
      concerns: [concernOf(), concernOf({ category: 'deceptive_reasoning', severity: 'critical' })],
      conscienceContext: {
        ...checkpointOf().conscienceContext,
        values_checked: ['BOUNDARY:a', 'BOUNDARY:b'],
        conflicts: ['BOUNDARY:a'],
      },
    })
    expect(span.attributes).toMatchObject({
      'aip.integrity.verdict': 'boundary_violation',
      'aip.integrity.proceed': false,
      'aip.integrity.recommended_action': 'deny_and_escalate',
      'aip.integrity.concerns_count': 2,
      'aip.conscience.values_checked_count': 2,
      'aip.conscience.conflicts_count': 1,
      'aip.window.integrity_ratio': 0.5,
      'gen_ai.evaluation.verdict': 'boundary_violation',
      'gen_ai.evaluation.score': 0.5,
    })
    expect(span.events).toEqual([
      {
        name: 'aip.concern',
        attributes: {
          'aip.concern.category': 'autonomy_violation',
          'aip.concern.severity': 'medium',
        },
      },
      {
        name: 'aip.concern',
        attributes: {
          'aip.concern.category': 'deceptive_reasoning',
          'aip.concern.severity': 'critical',
        },
      },
    ])
  })

  it('has a drift event while an alert is open', () => {
    expect(spanOf({}, true).attributes['aip.window.drift_alert_active']).toBe(true)
    expect(spanOf({}, true).events).toEqual([{ name: 'aip.drift_alert', attributes: {} }])
  })

  it('contains no text of the agent', () => {
    const span = spanOf({
      verdict: 'review_needed',
      reasoningSummary: QUOTE,
      concerns: [concernOf({ description: QUOTE, evidence: QUOTE })],
      crossValidationWarnings: [QUOTE],
      receivedAt: secondsLater(1),
    })
    expect(JSON.stringify(span)).not.toContain(QUOTE)
  })
})
