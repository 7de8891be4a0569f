import { describe, expect, it } from 'vitest'
import { isServerName, serverNameOf, serverNameOfUrl } from './tool-name.ts'

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

describe('serverNameOfUrl', () => {
  it.each([
    ['https://mcp.example.com/mcp', 'example'],
    ['https://api.shop.example.com/v1/mcp?key=secret', 'shop-example'],
    ['http://127.0.0.1:8790/mcp', 'local-8790'],
    ['http://localhost/mcp', 'local-80'],
    ['http://[::1]:9000/mcp', 'local-9000'],
    ['https://xn--mnchen-3ya.example/mcp', 'xn--mnchen-3ya'],
  ])('of %s is %s', (url, name) => {
    expect(serverNameOfUrl(new URL(url))).toBe(name)
    expect(isServerName(name)).toBe(true)
  })
})

describe('isServerName', () => {
  it('rejects names that would make the boundary between server and tool ambiguous', () => {
    expect(isServerName('shop.v2')).toBe(true)
    for (const name of ['', 'a__b', 'a b', 'a*', '-a', 'x'.repeat(65)]) {
      expect(isServerName(name), name).toBe(false)
    }
  })
})
