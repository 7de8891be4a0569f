import { validatePolicy } from '@touchstone/protocol/policy'
import { createClient } from '@touchstone/sdk'
import { describe, expect, it } from 'vitest'
import { prepareAgent } from './prepare-agent.ts'

function policyNamed(name: string, callsMax?: number) {
  const limit = { name: 'sends', tools: ['send'], max: callsMax, per: 'hour', reason: 'Few sends' }
  const outcome = validatePolicy({
    meta: { schema_version: '1.1', name, scope: 'agent' },
    ...(callsMax === undefined ? {} : { limits: [limit] }),
  })
  if (!outcome.valid) throw new Error('the policy of the test is invalid')
  return outcome.policy
}

/** A registered agent, optionally with a stored policy. */
function agentWith(policy?: object) {
  let version = policy === undefined ? 0 : 1
  let stored = policy
  const notes: string[] = []
  const answer = () => ({ ...stored, id: 'pol-1', version })
  const fetch: typeof globalThis.fetch = async (url, init) => {
    if (!String(url).endsWith('/policy')) return Response.json({ agent_id: 'desk' })
    if (init?.method === 'PUT') {
      stored = JSON.parse(String(init.body))
      version += 1
    }
    const missing = { error: 'not_found', message: 'No policy.' }
    return stored === undefined ? Response.json(missing, { status: 404 }) : Response.json(answer())
  }
  const client = createClient({ baseUrl: 'http://service.test', retries: 0, fetch })
  const prepare = (name?: string, callsMax?: number) =>
    prepareAgent(client, {
      agent: 'desk',
      server: 'files',
      now: () => new Date(0),
      policy: name === undefined ? undefined : policyNamed(name, callsMax),
      note: (line) => void notes.push(line),
    })
  return { prepare, notes, version: () => version }
}

describe('an unknown agent', () => {
  it('is registered, and the note says so', async () => {
    const sent: string[] = []
    const client = createClient({
      baseUrl: 'http://service.test',
      retries: 0,
      async fetch(url, init) {
        sent.push(`${init?.method} ${new URL(String(url)).pathname}`)
        const missing = { error: 'agent_not_found', message: 'No such agent.' }
        return init?.method === 'POST'
          ? Response.json({ agent: { agent_id: 'desk' } }, { status: 201 })
          : Response.json(missing, { status: 404 })
      },
    })
    const notes: string[] = []
    await prepareAgent(client, {
      agent: 'desk',
      server: 'files',
      now: () => new Date(0),
      policy: undefined,
      note: (line) => void notes.push(line),
    })
    expect(sent).toEqual(['GET /v1/agents/desk', 'POST /v1/agents'])
    expect(notes).toEqual(['agent desk was registered'])
  })
})

describe('an agent whose id looks like that of another organisation', () => {
  it('is not registered, and the error says how to name another', async () => {
    const similar = { error: 'similar_id', message: 'The agent id desk is too similar.' }
    const client = createClient({
      baseUrl: 'http://service.test',
      retries: 0,
      fetch: async (_url, init) =>
        init?.method === 'POST'
          ? Response.json(similar, { status: 409 })
          : Response.json({ error: 'agent_not_found', message: 'No such agent.' }, { status: 404 }),
    })
    const preparation = { agent: 'desk', server: 'files', now: () => new Date(0) }
    const prepared = prepareAgent(client, { ...preparation, policy: undefined, note: () => {} })
    await expect(prepared).rejects.toMatchObject({
      code: 'similar_id',
      message: 'The agent id desk is too similar. Name the agent with --agent or TOUCHSTONE_AGENT.',
    })
  })
})

describe('the policy passed to a guard', () => {
  it('is noted when it is stored for the agent', async () => {
    const { prepare, notes } = agentWith()
    await prepare('First')
    expect(notes).toEqual(['policy pol-1, version 1, is now in force for agent desk'])
  })

  it('is noted when it replaces a different one', async () => {
    const { prepare, notes } = agentWith(policyNamed('First'))
    await prepare('Second')
    expect(notes).toEqual([
      'policy pol-1, version 2, is now in force for agent desk, replacing version 1',
    ])
  })

  it('is not stored again if it is already in force', async () => {
    const { prepare, notes, version } = agentWith(policyNamed('First'))
    await prepare('First')
    expect(notes).toEqual(['policy pol-1, version 1, is already in force for agent desk'])
    expect(version()).toBe(1)
  })

  it('is stored again if only its limits differ', async () => {
    const { prepare, version } = agentWith(policyNamed('First', 10))
    await prepare('First', 3)
    expect(version()).toBe(2)
    await prepare('First', 3)
    await prepare('First')
    expect(version()).toBe(3)
  })

  it('is optional', async () => {
    const { prepare, notes } = agentWith()
    await prepare()
    expect(notes).toEqual([])
  })
})
