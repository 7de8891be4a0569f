import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { type TestApp, testApp } from '#harness/app.ts'
import { connectAndDisconnect } from '#harness/connect-journey.ts'
import { plainEnv, runIn } from '#harness/installed.ts'
import { CLI_BIN } from '#harness/process.ts'
import { temporaryDir } from '#harness/temporary-dir.ts'
import { cursorAgent } from './cursor-agent.ts'

let t: TestApp
let url: string

beforeAll(async () => {
  t = await testApp()
  t.clock.set(new Date().toISOString())
  url = await t.app.server.listen({ port: 0, host: '127.0.0.1' })
})

const api = async (method: string, path: string, body?: unknown) =>
  (await t.call(method, path, { token: t.first.api_key, body })).body

const touchstone = (args: readonly string[], home: string) =>
  runIn(home, [process.execPath, CLI_BIN, ...args], {
    env: plainEnv({ HOME: home, TOUCHSTONE_URL: url, TOUCHSTONE_API_KEY: t.first.api_key }),
  })

describe('Cursor', () => {
  it('is governed by its hook until disconnect', async () => {
    const home = await temporaryDir()
    const agent = await cursorAgent(home)
    // The only foreign parts that Cursor accepts are comments, other members and hooks of its events.
    const original =
      '{\n\t// Kept as it is.\n\t"version": 1,\n\t"hooks": {\n\t\t"stop": [{ "command": "true" }]\n\t}\n}\n'
    await connectAndDisconnect({ touchstone, api }, { client: 'cursor', home, agent, original })
    expect(await agent.errors()).toEqual([])
  })

  it('stops calls if the hook cannot be started', async () => {
    const home = await temporaryDir()
    const agent = await cursorAgent(home)
    await mkdir(join(home, '.cursor'))
    const hook = { command: '/nowhere/node touchstone-hook.cjs cursor', failClosed: true }
    await writeFile(agent.file, JSON.stringify({ version: 1, hooks: { preToolUse: [hook] } }))
    const call = { session: 's', tool: 'Read', arguments: {} }
    expect(await agent.make(call)).toMatchObject({ ran: false })
  })

  it.each([
    '{"hooks": {"stop": [{"command": "true",}]}}',
    '{"hooks": {"Other": []}}',
    '{"version": "1"}',
    '{"hooks": {"stop": [{}]}}',
  ])('ignores a file that connect warns of: %s', async (before) => {
    const home = await temporaryDir()
    const agent = await cursorAgent(home)
    await mkdir(join(home, '.cursor'))
    await writeFile(agent.file, before)
    const connected = await touchstone(['connect', 'cursor', '--agent', 'ignored', '--yes'], home)
    expect(connected.output).toContain(`Cursor ignores all of ${agent.file}`)
    expect(await agent.errors()).toHaveLength(1)
    expect((await touchstone(['connect', 'test', 'cursor'], home)).code).toBe(1)
  })
})
