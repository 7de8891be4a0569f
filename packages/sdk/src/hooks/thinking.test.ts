import { describe, expect, it } from 'vitest'
import { thinkingIn } from './thinking.ts'

const line = (value: unknown) => JSON.stringify(value)

describe('thinkingIn', () => {
  it('finds the reasoning in the transcripts of Claude Code, Codex and Gemini', () => {
    const claude = {
      type: 'assistant',
      message: { content: [{ type: 'thinking', thinking: 'A' }] },
    }
    const summary = { payload: { type: 'reasoning', summary: [{ type: 's', text: 'B' }] } }
    const open = { payload: { type: 'reasoning', summary: [], content: [{ text: 'C' }] } }
    const gemini = { type: 'gemini', thoughts: [{ subject: 'D', description: 'E' }] }
    expect(thinkingIn('claude-code', [line(claude)])).toEqual(['A'])
    expect(thinkingIn('codex', [line(summary), line(open)])).toEqual(['B', 'C'])
    expect(thinkingIn('gemini-cli', [line(gemini)])).toEqual(['D: E'])
  })

  it('ignores lines that are strange, and clients without a transcript', () => {
    const strange = ['', 'no json', '[]', '1', 'null', '{"type":"assistant"}', '{"thoughts":1}']
    expect(thinkingIn('claude-code', strange)).toEqual([])
    expect(thinkingIn('codex', ['{"payload":{"type":"reasoning","content":[null,1]}}'])).toEqual([])
    expect(thinkingIn('gemini-cli', strange)).toEqual([])
    expect(thinkingIn('cursor', ['{"type":"assistant"}'])).toEqual([])
  })
})
