import { describe, expect, it } from 'vitest'
import { ACKNOWLEDGED, anAlert } from './alert.fixture.ts'
import { decideAlert, messageOf, statusOf, thresholdOf } from './alert.ts'

describe('a streak', () => {
  const open = anAlert()
  const resolved = anAlert({ alertId: 'ida-2', ...ACKNOWLEDGED })

  it('gets an alert if it has none', () => {
    expect(decideAlert([])).toEqual({ kind: 'open' })
  })

  it('updates its open alert, the newest of several', () => {
    expect(decideAlert([open])).toEqual({ kind: 'update', alert: open })
    const older = anAlert({ alertId: 'ida-0' })
    expect(decideAlert([resolved, open, older])).toEqual({ kind: 'update', alert: open })
  })

  it('gets no further alert once its alert is resolved', () => {
    expect(decideAlert([resolved])).toEqual({ kind: 'none' })
  })
})

describe('an alert', () => {
  it('is open until it has a resolution', () => {
    expect(statusOf(anAlert())).toBe('open')
    expect(statusOf(anAlert({ resolution: 'recovered' }))).toBe('resolved')
  })

  it.each([
    ['integrity', 3, '4 consecutive checkpoints of the session were not clear.'],
    ['trace', 0.3, '4 consecutive traces resemble the baseline less than 0.3.'],
  ] as const)(
    'of %s has the threshold %d and a message with the count',
    (kind, threshold, text) => {
      expect(thresholdOf(kind)).toBe(threshold)
      expect(messageOf({ kind, sustained: 4 })).toBe(text)
    },
  )
})
