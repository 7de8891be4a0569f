import { appendFileSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { readTranscript } from './read-transcript.ts'

let path: string

beforeEach(() => {
  path = join(mkdtempSync(join(tmpdir(), 'touchstone-transcript-')), 'session.jsonl')
})

describe('readTranscript', () => {
  it('reads complete lines once', () => {
    writeFileSync(path, 'one\ntwo\nthr')
    const first = readTranscript(path, undefined)
    expect(first.lines).toEqual(['one', 'two'])
    appendFileSync(path, 'ee\n')
    const second = readTranscript(path, first.read)
    expect(second.lines).toEqual(['three'])
    expect(readTranscript(path, second.read)).toEqual({ lines: [], read: second.read })
  })

  it('reads at most the last megabyte, from the beginning of a line', () => {
    const line = `${'x'.repeat(999)}\n`
    writeFileSync(path, `first\n${line.repeat(3_000)}`)
    const { lines, read } = readTranscript(path, undefined)
    expect(lines.length).toBeGreaterThan(1_000)
    expect(lines.length).toBeLessThan(1_050)
    expect(new Set(lines.map(({ length }) => length))).toEqual(new Set([999]))
    expect(read?.offset).toBe(6 + 3_000 * 1_000)
  })

  it('begins again with another file, and with one that became shorter', () => {
    writeFileSync(path, 'one\n')
    expect(readTranscript(path, { path: '/other', offset: 3 }).lines).toEqual(['one'])
    expect(readTranscript(path, { path, offset: 400 }).lines).toEqual(['one'])
  })

  it('finds nothing in a folder or a missing file', () => {
    const since = { path, offset: 3 }
    for (const none of [undefined, '/none', tmpdir()]) {
      expect(readTranscript(none, since)).toEqual({ lines: [], read: since })
    }
  })
})
