import { validatePolicy } from '@touchstone/protocol/policy'
import { createClient } from '@touchstone/sdk'
import { describe, expect, it } from 'vitest'
import { prepareAgent } from './prepare.ts'

function policyNamed(name: string) {
  const outcome = validatePolicy({ meta: { schema_version: '1.0', name, scope: 'agent' } })
  if (!outcome.valid) throw new Error('the test has a policy that is not valid')
  return outcome.policy
}

/** An agent that is known, with the policy that the service has stored for it last. */
function world(held?: object) {
  let version = held === undefined ? 0 : 1
  let stored = held
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
  const prepare = (name?: string) =>
    prepareAgent(client, {
      ...{ agent: 'desk', server: 'files', now: () => new Date(0) },
      policy: name === undefined ? undefined : policyNamed(name),
      note: (line) => void notes.push(line),
    })
  return { prepare, notes, version: () => version }
}

describe('the policy that a guard is given', () => {
  it('is told when it becomes that of the agent', async () => {
    const { prepare, notes } = world()
    await prepare('First')
    expect(notes).toEqual(['policy pol-1, version 1, holds now for agent desk'])
  })

  it('is told when it replaces another', async () => {
    const { prepare, notes } = world(policyNamed('First'))
    await prepare('Second')
    expect(notes).toEqual([
      'policy pol-1, version 2, holds now for agent desk, in place of version 1',
    ])
  })

  it('is told when it holds already, and is not stored again', async () => {
    const { prepare, notes, version } = world(policyNamed('First'))
    await prepare('First')
    expect(notes).toEqual([
      'policy pol-1, version 1, of agent desk is the given one already and stays as it is',
    ])
    expect(version()).toBe(1)
  })

  it('is no matter where there is none', async () => {
    const { prepare, notes } = world()
    await prepare()
    expect(notes).toEqual([])
  })
})
