import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const run = promisify(execFile)
const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const DOCUMENT = join(ROOT, 'docs/api/openapi.json')

let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'openapi-clients-'))
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
})

afterAll(() => rmSync(folder, { recursive: true }))

/** The path of a command of the workspace or of the SDK; npm may install it in either place. */
function binPath(name: string): string {
  const places = ['packages/sdk', '.'].map((at) => join(ROOT, at, 'node_modules/.bin', name))
  const found = places.find((place) => existsSync(place))
  if (found === undefined) throw new Error(`${name} is not installed`)
  return found
}

/** Compiles a folder of generated code and returns the output of the compiler. */
async function compile(name: string, use: string, flags: object): Promise<string> {
  writeFileSync(join(folder, name, 'use.ts'), use)
  const compilerOptions = {
    strict: true,
    noUncheckedIndexedAccess: true,
    ...flags,
    noEmit: true,
    target: 'es2022',
    module: 'esnext',
    moduleResolution: 'bundler',
    lib: ['es2022', 'dom', 'dom.iterable'],
    types: [],
  }
  const config = join(folder, `${name}.json`)
  writeFileSync(config, JSON.stringify({ compilerOptions, include: [`${name}/**/*.ts`] }))
  return run(join(ROOT, 'node_modules/.bin/tsc'), ['-p', config]).then(
    ({ stdout }) => stdout,
    ({ stdout }: { stdout: string }) => stdout,
  )
}

describe('a client generated from docs/api/openapi.json', () => {
  it('compiles with openapi-typescript and openapi-fetch', async () => {
    const output = join(folder, 'fetch', 'api.ts')
    const options = ['--default-non-nullable', 'false']
    await run(binPath('openapi-typescript'), [DOCUMENT, '-o', output, ...options])
    const errors = await compile('fetch', USE_FETCH, { exactOptionalPropertyTypes: true })
    expect(errors).toBe('')
  })

  it('compiles with @hey-api/openapi-ts', async () => {
    await run(binPath('openapi-ts'), ['-i', DOCUMENT, '-o', join(folder, 'hey'), '-s'])
    // The runtime code that it copies does not compile with exactOptionalPropertyTypes.
    expect(await compile('hey', USE_HEY, {})).toBe('')
  })
})

const USE_FETCH = `
import createClient from 'openapi-fetch'
import type { components, paths } from './api'

type Schemas = components['schemas']
const client = createClient<paths>({ baseUrl: 'http://127.0.0.1:8787' })

export async function decide(): Promise<Schemas['Decision']> {
  const body = { agent_id: 'agent-1', tool: 'read_file' }
  const { data, error } = await client.POST('/v1/gateway/decide', { body })
  if (data === undefined) throw new Error(error.message)
  return data
}

export async function names(): Promise<string[]> {
  const { data } = await client.GET('/v1/agents', { params: { query: { status: 'active' } } })
  return (data?.agents ?? []).map((agent: Schemas['Agent']) => agent.name)
}

export const mode: Schemas['EnforcementMode'] = 'enforce'
`

const USE_HEY = `
import { decideToolCall, listAgents, replaceAgentPolicy } from './index'
import type { Agent, Certificate, Checkpoint, Decision, Policy, Problem, Team } from './index'

export async function decide(): Promise<Decision | undefined> {
  const { data } = await decideToolCall({ body: { agent_id: 'agent-1', tool: 'read_file' } })
  return data
}

export async function names(): Promise<string[]> {
  const { data } = await listAgents({ query: { status: 'active' } })
  return (data?.agents ?? []).map((agent: Agent) => agent.name)
}

export const replace = replaceAgentPolicy
export type Named = Certificate | Checkpoint | Policy | Problem | Team
`
