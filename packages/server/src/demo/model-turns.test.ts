import { expect, it } from 'vitest'
import { testApp } from '#harness/app.ts'
import { onFileFinished } from '#harness/on-file-finished.ts'
import { CAST, cardOf } from './cast.ts'
import type { Client } from './client.ts'
import { createModelAsker } from './model-asker.ts'
import { modelTurnSteps } from './model-turns.ts'
import { createReceiver } from './receiver.ts'
import { HOUSE_POLICY } from './rules.ts'

it('leaves observed evidence, executed calls and one refused call', async () => {
  const models = await createModelAsker()
  onFileFinished(models.close)
  const upstreams = JSON.stringify({ anthropic: models.url })
  const t = await testApp({ env: { MODEL_GATEWAY_UPSTREAMS: upstreams } })
  const token = t.first.api_key
  const orgId = t.first.org_id
  const owner = await t.ownerToken()
  const callAs = (as: string): Client['call'] => {
    return async (method, path, body) => {
      const answer = await t.call(method, path, { token: as, body })
      expect(answer.status, answer.text).toBeLessThan(300)
      return answer.body
    }
  }
  const call = callAs(token)
  const client: Client = {
    orgId,
    receiver: createReceiver(() => Promise.reject(new Error('not part of this story'))),
    approverKey: token,
    call,
    callAsOwner: callAs(owner),
    send: () => Promise.reject(new Error('not part of this story')),
    askModel: (question) => models.ask(t.app, question, token),
  }
  for (const part of CAST) {
    await call('POST', '/v1/agents', { agent_id: part.id, card: cardOf(part) })
  }
  await call('PUT', `/v1/orgs/${orgId}/policy`, HOUSE_POLICY)
  const steps = modelTurnSteps(t.clock.now(), (id) => id)
  for (const step of steps) await step.run(client)

  const alma = 'demo-research-alma'
  const { checkpoints } = await call('GET', `/v1/agents/${alma}/checkpoints?per_page=50`)
  const count = (wanted: Readonly<Record<string, string>>) =>
    checkpoints.filter((one: Readonly<Record<string, unknown>>) =>
      Object.entries(wanted).every(([name, value]) => one[name] === value),
    ).length
  expect(count({ provenance: 'observed', verdict: 'clear' })).toBe(13)
  // The turn that asked for a shell.
  expect(count({ provenance: 'observed', verdict: 'review_needed' })).toBe(1)
  const refused = await call('GET', '/v1/decisions?source=model_gateway&decision=block')
  expect(refused.decisions).toMatchObject([{ agent_id: alma, tool: 'run_shell' }])
  const executed = await call('GET', '/v1/decisions?source=model_gateway&outcome=executed')
  expect(executed.decisions).toHaveLength(14)
})
