import { describe, expect, it } from 'vitest'
import { createPaint } from './paint.ts'
import { fields, printable, table } from './table.ts'

describe('table', () => {
  it('aligns columns by their widest cell, ignoring colours', () => {
    const { good } = createPaint(true)
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
  it('replaces control characters and keeps all others', () => {
    expect(printable('a\u001b[31mb\r\nc\u202Ed')).toBe('a\uFFFD[31mb\uFFFD\uFFFDc\uFFFDd')
    expect(printable('Grüße, 世界 🙂')).toBe('Grüße, 世界 🙂')
  })
})
