import { describe, expect, it } from 'vitest'
import { entryOfId } from './entry-of-id.ts'

const UUID = '0198f0a2-5c1e-7abc-8def-000000000001'

describe('entryOfId', () => {
  it.each([
    [`dec-${UUID}`, 'decisions'],
    [`  ESC-${UUID} `, 'approvals'],
    [`ra-${UUID}`, 'risk'],
    [`tra-${UUID}`, 'risk'],
    [`whe-${UUID}`, 'webhooks'],
    [`whd-${UUID}`, 'webhooks/deliveries'],
  ])('opens the record of %j', (text, path) => {
    const id = text.trim().toLowerCase()
    expect(entryOfId('org-1', text)).toMatchObject({ act: `/o/org-1/${path}/${id}`, detail: id })
  })

  it.each(['', 'dec-', UUID, `ic-${UUID}`, `dec-${UUID}1`, `x dec-${UUID}`])(
    'ignores %j',
    (text) => {
      expect(entryOfId('org-1', text)).toBeUndefined()
    },
  )
})
