import { describe, expect, it } from 'vitest'
import { fieldErrors } from './field-errors.ts'

const FIELDS = ['url', 'allowed_ips']

describe('the errors of a form', () => {
  it('stand at the fields that the details name', () => {
    const details = [
      { path: '/allowed_ips/0', message: 'must be an address or a range' },
      { path: '/allowed_ips/1', message: 'must be an address or a range' },
      { path: '/unknown', message: 'unknown field' },
    ]
    expect([...fieldErrors({ message: 'The body is invalid.', details }, FIELDS)]).toEqual([
      ['allowed_ips', 'Must be an address or a range'],
    ])
  })

  it('stand at the field that the message begins with', () => {
    const error = { message: 'url: the host name cannot be resolved', details: [] }
    expect([...fieldErrors(error, FIELDS)]).toEqual([['url', 'The host name cannot be resolved']])
  })

  it('stand at no field if the message names none', () => {
    expect(fieldErrors({ message: 'Note: try again later.', details: [] }, FIELDS).size).toBe(0)
  })
})
