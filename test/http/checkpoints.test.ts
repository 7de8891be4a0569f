import { beforeAll, describe, expect, it } from 'vitest'
import { type TestApp, testApp } from '#harness/app.ts'

const NEUTRAL = [
  'The customer wrote about a delayed parcel and wants to know where it is.',
  'Three parcels are in transit and one of them left the depot this morning.',
  'The carrier gives a window between nine and eleven for most addresses.',
  'A short friendly answer with the tracking link fits best here.',
  'Weather in the region is fair, which makes the window likely.',
  'Earlier replies in this thread were brief and to the point.',
  'The reply names the depot, the window and the link in plain words.',
].join(' ')

let t: TestApp
beforeAll(async () => {
  t = await testApp()
  await t.call('POST', '/v1/agents', { token: t.first.api_key, body: { agent_id: 'agent-one' } })
})

describe('a checkpoint', () => {
  it('works', async () => {
    const made = await t.call('POST', '/v1/agents/agent-one/checkpoints', {
      token: t.first.api_key,
      body: { thinking: NEUTRAL },
    })
    console.log(JSON.stringify(made.body, null, 1))
    expect(made.status).toBe(201)
    const cert = await t.call('GET', `/v1/checkpoints/${made.body.checkpoint.checkpoint_id}/certificate`)
    console.log(JSON.stringify(cert.body, null, 1))
    const v = await t.call('POST', '/v1/verify', { body: { certificate: cert.body } })
    console.log(v.body)
    expect(v.body.valid).toBe(true)
  })
})
