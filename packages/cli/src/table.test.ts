import { describe, expect, it } from 'vitest'
import { paintWith } from './paint.ts'
import { fields, printable, table } from './table.ts'

describe('table', () => {
  it('is as wide as its widest cells, whatever their colour', () => {
    const { good } = paintWith(true)
    expect(
      table(
        ['A', 'NAME'],
        [
          ['long', 'x'],
          [good('ok'), 'y'],
        ],
      ),
    ).toBe(`A     NAME\nlong  x\n${good('ok')}    y`)
    expect(
      fields([
        ['a', '1'],
        ['long', '2'],
      ]),
    ).toBe('a     1\nlong  2')
  })
})

describe('printable', () => {
  it('leaves nothing that a terminal would obey', () => {
    expect(printable('a\u001b[31mb\r\nc\u202Ed')).toBe('a\uFFFD[31mb\uFFFD\uFFFDc\uFFFDd')
    expect(printable('Grüße, 世界 🙂')).toBe('Grüße, 世界 🙂')
  })
})
