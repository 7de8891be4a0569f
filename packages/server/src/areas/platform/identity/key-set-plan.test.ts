import { describe, expect, it } from 'vitest'
import { FAILED_MS, FRESH_MS, planLookup, STALE_MS_MAX, UNKNOWN_KID_MS } from './key-set-plan.ts'

const never = { fetchedAt: undefined, failedAt: undefined, unknownKidFetchedAt: undefined }
const fetched = { ...never, fetchedAt: 0 }

describe('planLookup', () => {
  it('fetches a key set it has never fetched', () => {
    expect(planLookup(never, false, 0)).toBe('fetch')
  })

  it('uses a key set for ten minutes', () => {
    expect(planLookup(fetched, true, FRESH_MS - 1)).toBe('use')
    expect(planLookup(fetched, true, FRESH_MS)).toBe('fetch')
  })

  it('fetches again for an unknown key id, at most once a minute', () => {
    expect(planLookup(fetched, false, 1)).toBe('fetch')
    const throttled = { ...fetched, unknownKidFetchedAt: 1 }
    expect(planLookup(throttled, false, UNKNOWN_KID_MS)).toBe('refuse')
    expect(planLookup(throttled, false, UNKNOWN_KID_MS + 1)).toBe('fetch')
  })

  it('backs off while an issuer is down and uses the stale key set for a day', () => {
    const down = (now: number) => ({ ...fetched, failedAt: now - FAILED_MS + 1 })
    expect(planLookup(down(FRESH_MS), true, FRESH_MS)).toBe('use')
    expect(planLookup(down(FRESH_MS), false, FRESH_MS)).toBe('refuse')
    expect(planLookup(down(STALE_MS_MAX), true, STALE_MS_MAX)).toBe('use')
    expect(planLookup(down(STALE_MS_MAX + 1), true, STALE_MS_MAX + 1)).toBe('refuse')
    expect(planLookup({ ...never, failedAt: 0 }, false, FAILED_MS - 1)).toBe('refuse')
    expect(planLookup({ ...never, failedAt: 0 }, false, FAILED_MS)).toBe('fetch')
  })
})
