import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import {
  type AnalysedHour,
  analysedInHour,
  HOUR_CHECKPOINTS_MAX,
  hourAfter,
  isSetAside,
  THIN_FLAGS,
} from './thin-evidence.ts'

type Vector = {
  cases: {
    name: string
    received: { at: string; count: number; synthetic?: boolean }[]
    bursts: number[]
  }[]
}

describe('the shared vectors of bursts', () => {
  const file = new URL('../../../../vectors/provenance/bursts.json', import.meta.url)
  const { cases }: Vector = JSON.parse(readFileSync(file, 'utf8'))

  it.each(cases)('$name', ({ received, bursts }) => {
    let hour: AnalysedHour | null = null
    const found: number[] = []
    let position = 0
    for (const { at, count, synthetic = false } of received) {
      for (let n = 0; n < count; n += 1, position += 1) {
        if (synthetic) continue
        if (analysedInHour(hour, new Date(at)) >= HOUR_CHECKPOINTS_MAX) found.push(position)
        hour = hourAfter(hour, new Date(at))
      }
    }
    expect(found).toEqual(bursts)
  })
})

describe('isSetAside', () => {
  it.each(THIN_FLAGS)('sets a clear checkpoint with %s aside', (flag) => {
    expect(isSetAside([flag], 'clear')).toBe(true)
    expect(isSetAside(['uniform_timing', flag], 'clear')).toBe(true)
  })

  it.each(THIN_FLAGS)('never sets a finding aside for %s', (flag) => {
    expect(isSetAside([flag], 'review_needed')).toBe(false)
    expect(isSetAside([flag], 'boundary_violation')).toBe(false)
  })

  it('sets nothing aside for other flags', () => {
    expect(isSetAside([], 'clear')).toBe(false)
    expect(isSetAside(['uniform_timing', 'identical_content'], 'clear')).toBe(false)
  })
})
