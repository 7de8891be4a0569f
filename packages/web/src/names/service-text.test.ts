import { describe, expect, it } from 'vitest'
import { summaryText, withPlurals } from './service-text.ts'

describe('a text of the service', () => {
  it('has the right plurals', () => {
    expect(withPlurals('2 fault line(s) on user_control can lead to trust erosion.')).toBe(
      '2 fault lines on user_control can lead to trust erosion.',
    )
    expect(withPlurals('1 fault line(s) on privacy')).toBe('1 fault line on privacy')
  })

  it('says categories in words if rules wrote it, and leaves the words of a model as they are', () => {
    expect(
      summaryText('Rule-based analysis: 1 concern(s), most severe critical autonomy_violation.'),
    ).toBe('Rule-based analysis: 1 concern, most severe critical autonomy violation.')
    expect(summaryText('It calls run_shell twice.')).toBe('It calls run_shell twice.')
  })
})
