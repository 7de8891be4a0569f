import { describe, expect, it } from 'vitest'
import { isServerName, serverNameOf, toolNameOf } from './tool-name.ts'

describe('serverNameOf', () => {
  it.each([
    ['npx -y @modelcontextprotocol/server-filesystem /home/me', 'filesystem'],
    ['npx -y @modelcontextprotocol/server-filesystem@2026.8.31 .', 'filesystem'],
    ['uvx mcp-server-git --repository .', 'git'],
    ['docker run -i --rm mcp/github', 'github'],
    ['node ./dist/shop.js', 'shop'],
    ['/usr/bin/python3 -m weather_mcp', 'weather-mcp'],
    ['/opt/bin/mcp-server-filesystem /srv', 'filesystem'],
    ['env TOKEN=x github-mcp-server stdio', 'github'],
    ['node', 'node'],
  ])('of "%s" is %s', (words, name) => {
    expect(serverNameOf(words.split(' '))).toBe(name)
    expect(isServerName(name)).toBe(true)
  })
})

describe('isServerName', () => {
  it('rejects names that would make the boundary between server and tool ambiguous', () => {
    expect(isServerName('shop.v2')).toBe(true)
    for (const name of ['', 'a__b', 'a b', 'a*', '-a', 'x'.repeat(65)]) {
      expect(isServerName(name), name).toBe(false)
    }
    expect(toolNameOf('shop', 'refund')).toBe('mcp__shop__refund')
  })
})
