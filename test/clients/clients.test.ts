import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { hasTranscript } from '@touchstone/sdk/hooks/thinking'
import { beforeAll, describe, expect, it } from 'vitest'
import { type TestApp, testApp } from '#harness/app.ts'
import { runIn, typeIn } from '#harness/installed.ts'
import { upstreamsAt } from '#harness/model-gateway.ts'
import { freePort } from '#harness/port.ts'
import { CLI_BIN } from '#harness/process.ts'
import { temporaryDir } from '#harness/temporary-dir.ts'
import { CLIENTS } from '../../packages/cli/src/connect/clients.ts'
import { commandsOf, environmentOf, REAL_CLIENTS, type RealClient } from './real-clients.ts'
import { type ScriptedModel, startScriptedModel } from './scripted-model.ts'

const THOUGHT = 'The notes of the project come first, because they say what is to be done here.'

let t: TestApp
let url: string
let model: ScriptedModel

beforeAll(async () => {
  model = await startScriptedModel()
  // Connections are printed with the address of the settings.
  const port = await freePort()
  t = await testApp({ env: { ...upstreamsAt(model.url), PORT: String(port) } })
  t.clock.set(new Date().toISOString())
  url = await t.app.server.listen({ port, host: '127.0.0.1' })
})

async function api(method: string, path: string, body?: unknown) {
  const answer = await t.call(method, path, { token: t.first.api_key, body })
  expect(answer.status, answer.text).toBeLessThan(300)
  return answer.body
}

const policy = (forbidden: readonly string[]) => ({
  meta: { schema_version: '1.0', name: 'Coding', scope: 'agent' },
  forbidden: forbidden.map((pattern) => ({ pattern, reason: 'Not here', severity: 'high' })),
  defaults: { enforcement_mode: 'enforce', unmapped_tool_action: 'allow' },
})

/** Registers an agent under a policy. */
async function addAgent(agentId: string, forbidden: readonly string[]): Promise<string> {
  await api('POST', '/v1/agents', { agent_id: agentId })
  await api('PUT', `/v1/agents/${agentId}/policy`, policy(forbidden))
  return agentId
}

type Decided = {
  tool: string
  decision: string
  source: string
  client: string
  outcome: { status: string } | null
}

/** Source, tool, decision and outcome of the decisions about an agent in the work of the client. */
async function decisionsOf(agentId: string): Promise<string[]> {
  const { decisions } = await api('GET', `/v1/decisions?agent_id=${agentId}`)
  return decisions
    .filter(({ session_id: session }: { session_id: string }) => !session.includes('connect-test'))
    .map(({ source, tool, decision, outcome }: Decided) => {
      return `${source} ${tool} ${decision} ${outcome?.status}`
    })
    .toReversed()
}

/** Whether a checkpoint of the agent has words of its model. */
async function hasThinking(agentId: string): Promise<boolean> {
  const { checkpoints } = await api('GET', `/v1/agents/${agentId}/checkpoints`)
  const hashes = checkpoints.map((one: { thinking_block_hash: string }) => one.thinking_block_hash)
  return hashes.some((hash: string) => hash !== createHash('sha256').digest('hex'))
}

/** A user of a client with a home and a project, and a connection to the model gateway. */
async function userOf(real: RealClient, modelAgent: string) {
  const home = await temporaryDir()
  const project = join(home, 'project')
  await mkdir(project)
  const notes = join(project, 'notes.txt')
  await writeFile(notes, 'Water the plants.\n')
  await real.prepare?.(home)
  const env = environmentOf(real, home)
  const login = { TOUCHSTONE_URL: url, TOUCHSTONE_API_KEY: t.first.api_key }
  const touchstone = async (...args: string[]) => {
    const ran = await runIn(project, [process.execPath, CLI_BIN, ...args], {
      env: { ...env, ...login },
    })
    expect(ran.code, ran.output).toBe(0)
    return ran.output
  }
  const created = await touchstone('connections', 'create', modelAgent, '--provider', real.provider)
  await writeFile(join(project, `${real.provider}.txt`), created)
  const type = (commands: string) => typeIn(project, `${real.asFunction}\n${commands}`, env)
  const file = CLIENTS[real.client].userFile({ home, env })
  const isMade = () => readdir(project).then((names) => names.includes('made-by-agent'))
  return { file, notes, touchstone, type, isMade }
}

const textOf = (file: string) => readFile(file, 'utf8').catch(() => undefined)

describe.each(REAL_CLIENTS)('$name', (real) => {
  it('is governed by the model gateway as the guide says, and by its hook until disconnect', async () => {
    const id = real.name.toLowerCase().replaceAll(/[^a-z]+/g, '-')
    const modelAgent = await addAgent(`${id}-model`, [real.shellTool])
    const { file, notes, touchstone, type, isMade } = await userOf(real, modelAgent)
    const { all, start } = await commandsOf(real)

    model.play([{ parts: [real.shell] }])
    const said = await type(all)
    expect(said).toContain(`Touchstone blocked ${real.shellTool}: Not here`)
    expect(await decisionsOf(modelAgent)).toEqual([
      `model_gateway ${real.shellTool} block undefined`,
    ])
    expect(await isMade()).toBe(false)

    await api('PUT', `/v1/agents/${modelAgent}/policy`, policy([]))
    const agent = await addAgent(`${id}-hook`, real.allowedTool === 'Bash' ? [] : ['Bash'])
    const before = await textOf(file)
    const connected = await touchstone('connect', real.client, '--agent', agent, '--yes')
    expect(connected).toContain(`is now connected as agent ${agent} (enforce)`)
    const thinking = { thinking: THOUGHT }
    if (real.allowedTool === 'Bash') {
      // Its only tool is the shell, so the policy has to change between the calls.
      model.play([{ parts: [thinking, real.allowed(notes)] }])
      await type(start)
      await api('PUT', `/v1/agents/${agent}/policy`, policy(['Bash']))
      model.play([{ parts: [real.shell] }])
    } else {
      model.play([{ parts: [thinking, real.allowed(notes)] }, { parts: [real.shell] }])
    }
    await type(start)
    expect(model.results().at(-1)).toContain('Refused by Touchstone: Not here')
    expect(await isMade()).toBe(false)
    expect(await decisionsOf(agent)).toEqual([
      `hook ${real.allowedTool} allow executed`,
      'hook Bash block undefined',
    ])
    if (hasTranscript(real.client)) expect(await hasThinking(agent)).toBe(true)

    expect(await touchstone('disconnect', real.client)).toMatch(/as it was before|was removed/)
    expect(await textOf(file)).toBe(before)
  })
})
