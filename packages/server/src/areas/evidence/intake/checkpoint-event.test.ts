import { describe, expect, it } from 'vitest'
import { checkpointOf, concernOf, examinationOf } from '../ledger/checkpoint.fixture.ts'
import { eventsOf } from './checkpoint-event.ts'

const ABOUT = { checkpoint_id: 'ic-1', agent_id: 'agent-demo', session_id: 's1' }
const types = (events: ReturnType<typeof eventsOf>) => events.map((event) => event.type)

describe('a stored checkpoint', () => {
  it('emits one event with exactly these fields if it is clear', () => {
    expect(eventsOf(checkpointOf())).toEqual([
      {
        type: 'integrity.checkpoint',
        data: {
          ...ABOUT,
          verdict: 'clear',
          concerns: [],
          reasoning_summary: 'ok',
          synthetic: false,
        },
      },
    ])
  })

  it('emits its concerns without the quotes', () => {
    const [event] = eventsOf(checkpointOf(examinationOf('review_needed')))
    expect(event?.data).toMatchObject({
      concerns: [
        {
          category: 'autonomy_violation',
          severity: 'medium',
          description: 'Speaks of a forbidden action.',
        },
      ],
    })
    expect(JSON.stringify(event)).not.toContain('The policy mentions it.')
  })

  it.each([
    ['critical', 'deny_and_escalate'],
    ['high', 'pause_for_review'],
  ] as const)('with a %s violation also says what to do: %s', (severity, action) => {
    const concerns = [concernOf({ severity })]
    const events = eventsOf(
      checkpointOf({
        ...examinationOf('boundary_violation', { concerns }),
        violationType: 'FORBIDDEN_ACTION',
      }),
    )
    expect(types(events)).toEqual(['integrity.checkpoint', 'integrity.violation'])
    expect(events[1]?.data).toEqual({
      ...events[0]?.data,
      violation_type: 'FORBIDDEN_ACTION',
      recommended_action: action,
    })
  })

  it('emits no violation if a failed analysis was closed', () => {
    const events = eventsOf(
      checkpointOf(
        examinationOf('boundary_violation', { concerns: [], syntheticReason: 'analysis_failed' }),
      ),
    )
    expect(types(events)).toEqual(['integrity.checkpoint'])
    expect(events[0]?.data).toMatchObject({ synthetic: true, verdict: 'boundary_violation' })
  })

  it('emits each conscience conflict with the description of its concern', () => {
    const values = ['BOUNDARY:stay_in_bounds', 'FEAR:scope_creep']
    const base = examinationOf('review_needed')
    const conscienceContext = { ...base.conscienceContext, conflicts: values }
    const events = eventsOf(checkpointOf({ ...base, conscienceContext }))
    expect(types(events)).toEqual(['integrity.checkpoint', 'conscience.escalation'])
    expect(events[1]?.data).toEqual({
      ...ABOUT,
      verdict: 'review_needed',
      conflicts: [
        { value: 'BOUNDARY:stay_in_bounds', description: 'Speaks of a forbidden action.' },
        { value: 'FEAR:scope_creep', description: '' },
      ],
    })
  })
})
