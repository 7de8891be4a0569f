import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Connection, findConnection, readConnections } from './connections.ts'

const connection = (agentId: string): Connection => ({
  url: 'http://localhost',
  api_key: 'k',
  agent_id: agentId,
  mode: 'enforce',
  on_error: 'block',
})

describe('findConnection', () => {
  const all = {
    codex: connection('user'),
    'codex:/home/me/app': connection('app'),
    'codex:/home/me/app/inner': connection('inner'),
    'cursor:/other': connection('other'),
  }

  it.each([
    ['/home/me', 'user'],
    ['/home/me/app', 'app'],
    ['/home/me/app/src', 'app'],
    ['/home/me/app/inner/src', 'inner'],
    ['/home/me/app-2', 'user'],
    ['/home/me/..app', 'user'],
  ])('uses for %s the connection of the innermost project: %s', (cwd, agentId) => {
    expect(findConnection(all, 'codex', cwd)?.agent_id).toBe(agentId)
  })

  it('finds none of another client', () => {
    expect(findConnection(all, 'cursor', '/home/me')).toBeUndefined()
    expect(findConnection({}, 'codex', '/home/me/app')).toBeUndefined()
  })
})

describe('readConnections', () => {
  const file = join(mkdtempSync(join(tmpdir(), 'touchstone-connections-')), 'connections.json')

  it('is empty without a file, and refuses a file that is none', () => {
    expect(readConnections(file)).toEqual({})
    for (const text of ['', '[]', '{}', '{"connections":{"codex":{"url":1}}}']) {
      writeFileSync(file, text)
      expect(() => readConnections(file), text).toThrow('not a valid connections file')
    }
    const content = { version: 1, connections: { codex: connection('a') } }
    writeFileSync(file, JSON.stringify(content))
    expect(readConnections(file)).toEqual(content.connections)
  })
})
