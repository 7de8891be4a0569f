import { describe, expect, it } from 'vitest'
import { parseHosts } from './hosts.ts'

const of = (url: string) =>
  parseHosts(url).hosts.map(({ name, host, port, url: own }) => ({ name, host, port, own }))

describe('the hosts of a connection string', () => {
  it.each([
    ['postgres://u:p@h1/db', [['h1:5432', 'postgres://u:p@h1/db']]],
    [
      'postgres://u:p%40@h1:5433,h2:5434/db?sslmode=require',
      [
        ['h1:5433', 'postgres://u:p%40@h1:5433/db?sslmode=require'],
        ['h2:5434', 'postgres://u:p%40@h2:5434/db?sslmode=require'],
      ],
    ],
    [
      'postgresql://h1,[::1]:6000,10.0.0.1/db',
      [
        ['h1:5432', 'postgresql://h1/db'],
        ['[::1]:6000', 'postgresql://[::1]:6000/db'],
        ['10.0.0.1:5432', 'postgresql://10.0.0.1/db'],
      ],
    ],
    ['postgres:///db', [['localhost:5432', 'postgres:///db']]],
  ])('%s', (url, expected) => {
    expect(of(url).map(({ name, own }) => [name, own])).toEqual(expected)
  })

  it('has the folder of a socket as its host', () => {
    const [socket] = of('postgres:///db?host=/run/postgresql&port=6543')
    expect(socket).toMatchObject({ host: '/run/postgresql', port: 6543 })
  })

  it('leaves target_session_attrs out, which node-postgres would take for a setting', () => {
    const { hosts, needsReadWrite } = parseHosts(
      'postgres://h1,h2/db?target_session_attrs=read-write',
    )
    expect(needsReadWrite).toBe(true)
    expect(hosts.map(({ url }) => url)).toEqual(['postgres://h1/db', 'postgres://h2/db'])
    expect(parseHosts('postgres://h1,h2/db').needsReadWrite).toBe(false)
  })

  it.each([
    ['mysql://h1/db', 'postgres://'],
    ['postgres://h1,,h2/db', 'is not a host'],
    ['postgres://h1:70000/db', 'postgres://'],
    ['postgres://u:secret@h1:x,h2/db', 'postgres://'],
    ['postgres://h1,h2/db?target_session_attrs=standby', 'read-write or primary'],
    [`postgres://${Array.from({ length: 17 }, (_, n) => `h${n}`).join(',')}/db`, 'at most 16'],
  ])('refuses %s', (url, message) => {
    expect(() => parseHosts(url)).toThrow(message)
    expect(() => parseHosts(url)).not.toThrow('secret')
  })
})
