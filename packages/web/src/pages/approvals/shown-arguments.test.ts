import { describe, expect, it } from 'vitest'
import { shownArguments } from './shown-arguments.ts'

const NOW = new Date('2026-11-18T12:00:00.000Z')

const pending = {
  arguments: null,
  arguments_hash: 'ab',
  arguments_stored: true,
  status: 'pending',
  resolved_at: null,
  expires_at: '2026-11-18T13:00:00.000Z',
} as const

const ended = (resolvedAt: string) =>
  ({ ...pending, arguments_stored: false, status: 'approved', resolved_at: resolvedAt }) as const

describe('the arguments of a call', () => {
  it('are indented JSON', () => {
    expect(shownArguments({ ...pending, arguments: { to: '<b>' } }, NOW)).toEqual({
      kind: 'shown',
      text: '{\n  "to": "<b>"\n}',
      value: { to: '<b>' },
    })
  })

  it('hide nothing: invisible and direction-changing characters are escaped', () => {
    const args = { to: '\u202Emoc\u200B' }
    expect(shownArguments({ ...pending, arguments: args }, NOW)).toMatchObject({
      text: '{\n  "to": "\\u202emoc\\u200b"\n}',
    })
  })

  it('are the text as it is if they were cut', () => {
    const cut = { ...pending, arguments: '{"to":"a' }
    expect(shownArguments(cut, NOW)).toEqual({ kind: 'shown', text: '{"to":"a', value: undefined })
  })

  it.each([
    ['none', { ...pending, arguments_hash: null, arguments_stored: false }],
    ['hidden', pending],
    ['not_stored', { ...pending, arguments_stored: false }],
    ['not_stored', ended('2026-11-17T12:00:01.000Z')],
    ['deleted', ended('2026-11-17T12:00:00.000Z')],
    [
      'deleted',
      {
        ...pending,
        arguments_stored: false,
        status: 'expired',
        expires_at: '2026-11-16T12:00:00.000Z',
      },
    ],
  ] as const)('say why they are missing: %s', (kind, escalation) => {
    expect(shownArguments(escalation, NOW)).toEqual({ kind })
  })
})
