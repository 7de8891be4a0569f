import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type Service, startSharedService } from '#harness/process.ts'
import { blocksOf, readersEnvironment, readersFolder, readPage, runShell } from '#harness/reader.ts'

let dir: string
let service: Service

beforeAll(async () => {
  dir = await readersFolder()
  service = await startSharedService({ DATA_DIR: join(dir, '.touchstone') })
})

describe('the README', () => {
  it('blocks a call, verifies its receipt, approves one refund and analyses a checkpoint', async () => {
    const page = { page: 'README.md', blocks: [2, 3, 4, 5, 7], ends: { 4: 1 } }
    const output = await readPage(page, { dir, url: service.url })
    expect(output).toContain('"decision":"block"')
    expect(output.match(/^(batch|signature|valid) {2,}.*$/gm)).toEqual([
      expect.stringMatching(/^batch +ok$/),
      expect.stringMatching(/^signature +ok$/),
      expect.stringMatching(/ yes$/),
      expect.stringMatching(/^batch +FAILED$/),
      expect.stringMatching(/^signature +ok$/),
      expect.stringMatching(/ no$/),
    ])
    const decisions = output.match(/"decision":"\w+","reasons":\[.*?\]/g) ?? []
    expect(decisions.at(-2)).toMatch(/"block".*"approval_mismatch"/)
    expect(decisions.at(-1)).toMatch(/"allow".*"approved"/)
    expect(output).toContain('"verdict":"boundary_violation"')
  })

  it('protects an existing MCP server with its two commands, run exactly as written', async () => {
    const block = (await blocksOf('README.md')).find((code) => code.includes('touchstone guard'))
    const [login = '', guard = '', ...more] = block?.trim().split('\n') ?? []
    expect(more).toEqual([])
    expect(await runShell(login, dir)).toMatchObject({ code: 0 })

    const client = new Client({ name: 'reader', version: '1' })
    onTestFinished(() => client.close())
    const env = readersEnvironment(dir)
    const shell = { command: 'bash', args: ['-c', guard], cwd: dir, env }
    await client.connect(new StdioClientTransport({ ...shell, stderr: 'ignore' }))
    const call = (name: string, args: Record<string, string>) =>
      client.callTool({ name, arguments: args })
    const folder = await call('list_directory', { path: '.' })
    expect(folder.isError).not.toBe(true)
    expect(JSON.stringify(folder.content)).toContain('docs')
    const written = await call('write_file', { path: 'new.txt', content: 'x' })
    expect(written.isError).toBe(true)
    expect(JSON.stringify(written.content)).toMatch(/Refused by Touchstone|must approve/)
    await expect(readFile(join(dir, 'new.txt'))).rejects.toThrow('ENOENT')
    await client.close()

    const { api_key: token } = JSON.parse(
      await readFile(join(dir, '.touchstone', 'credentials.json'), 'utf8'),
    )
    const { body } = await service.call('GET', '/v1/agents/file-desk/traces', { token })
    expect(body.traces).toHaveLength(2)
  })
})
