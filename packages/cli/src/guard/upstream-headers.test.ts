import { describe, expect, it } from 'vitest'
import { readHeaders } from './upstream-headers.ts'

const SOURCES = {
  variable: (name: string) => (name === 'TOKEN' ? 'Bearer from-env' : undefined),
  read: async () => 'Bearer from-file\n',
}
const read = (flags: Partial<Parameters<typeof readHeaders>[0]>) =>
  readHeaders({ header: [], headerEnv: [], headerFile: [], ...flags }, SOURCES)

describe('the headers of a server', () => {
  it('are read from flags, variables and files', async () => {
    const headers = await read({
      header: ['X-Team: a:b'],
      headerEnv: ['Authorization=TOKEN'],
      headerFile: ['X-Key=key.txt'],
    })
    expect(headers).toEqual({
      'x-team': 'a:b',
      authorization: 'Bearer from-env',
      'x-key': 'Bearer from-file',
    })
  })

  it.each([
    [{ header: ['secret-value'] }, '--header must have the form'],
    [{ header: ['X-A: secret-value\r\nX-B: 1'] }, 'the value of X-A is empty or not valid'],
    [{ header: ['X-A:'] }, 'the value of X-A is empty'],
    [{ header: [': secret-value'] }, 'the name of the header is not valid'],
    [{ header: ['Host: secret-value'] }, 'Host is set by the guard itself'],
    [{ header: ['X-A: secret-value', 'x-a: secret-value'] }, 'x-a is given twice'],
    [{ headerEnv: ['X-A=NONE'] }, 'the variable NONE is not set'],
    [{ headerEnv: ['X-A'] }, '--header-env must have the form'],
    [{ headerFile: ['X-A'] }, '--header-file must have the form'],
  ])('%j are refused without naming the value', async (flags, message) => {
    const err = await read(flags).catch((reason: Error) => reason)
    expect(String(err)).toContain(message)
    expect(String(err)).not.toContain('secret-value')
  })
})
