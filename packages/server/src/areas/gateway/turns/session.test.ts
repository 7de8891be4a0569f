import { describe, expect, it } from 'vitest'
import { sessionIdOf } from './session.ts'

const turn = {
  agentId: 'clerk',
  named: undefined,
  continued: undefined,
  ofClient: undefined,
  model: 'm',
  firstUserText: 'Hi',
}

describe('the session of a turn', () => {
  it('is the header, else the field of the client, else that of the continued response', () => {
    const ofClient = { field: 'prompt_cache_key', value: 'cache-1' }
    const all = { ...turn, named: 'header-1', continued: 'chain-1', ofClient }
    expect(sessionIdOf(all)).toBe('header-1')
    expect(sessionIdOf({ ...all, named: undefined })).toBe('cache-1')
    const previous = { field: 'previous_response_id', value: 'resp-1' }
    expect(sessionIdOf({ ...all, named: undefined, ofClient: previous })).toBe('chain-1')
    expect(sessionIdOf({ ...all, named: undefined, ofClient: undefined })).toBe('chain-1')
    expect(sessionIdOf({ ...turn, ofClient: previous })).toBe('resp-1')
  })

  it('is else the same for the same agent, model and first message', () => {
    const id = sessionIdOf(turn)
    expect(id).toMatch(/^sess-[0-9a-f]{32}$/)
    expect(sessionIdOf({ ...turn })).toBe(id)
    for (const other of [{ agentId: 'x' }, { model: 'x' }, { firstUserText: 'x' }]) {
      expect(sessionIdOf({ ...turn, ...other })).not.toBe(id)
    }
  })

  it.each(['two words', 'ü', 'x'.repeat(129)])('has an accepted form for %j', (named) => {
    expect(sessionIdOf({ ...turn, named })).toMatch(/^sess-[0-9a-f]{32}$/)
  })
})
