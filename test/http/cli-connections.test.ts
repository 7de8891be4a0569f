import { beforeAll, describe, expect, it } from 'vitest'
import { type TestApp, testApp } from '#harness/app.ts'
import { commandLine } from '#harness/cli.ts'
import { temporaryDir } from '#harness/temporary-dir.ts'
import { createTouchstone, type Touchstone } from '../../packages/sdk/src/touchstone.ts'

const AGENT = 'cli-caller'

let t: TestApp
let url: string
let dir: string
let touchstoneApi: Touchstone
const { touchstone, json } = commandLine(() => ({ url, apiKey: t.first.api_key, dir }))

beforeAll(async () => {
  t = await testApp()
  url = await t.app.server.listen({ port: 0, host: '127.0.0.1' })
  dir = await temporaryDir()
  touchstoneApi = createTouchstone({ baseUrl: url, token: t.first.api_key })
  await touchstoneApi.agents.create({ agent_id: AGENT })
})

const tokenIn = (text: string) => /tgw_[0-9A-Za-z]{38}/.exec(text)?.[0]

describe('touchstone connections', () => {
  it('creates one and prints the environment to paste', async () => {
    expect(await touchstone(`connections list ${AGENT}`)).toMatchObject({
      code: 0,
      out: 'No connections found.\n',
    })
    const { code, out } = await touchstone(
      `connections create ${AGENT} --provider anthropic --name Desk`,
    )
    expect(code).toBe(0)
    const token = tokenIn(out)
    expect(token).toBeDefined()
    expect(out).toContain(
      `  export ANTHROPIC_BASE_URL=${t.config.baseUrl}/llm/${token}/anthropic\n`,
    )
    const listed = await touchstone(`connections list ${AGENT}`)
    expect(listed.out).toMatch(/^ID +NAME +PROVIDER +KEY +MODE +TOKEN +LAST USED\n/)
    expect(listed.out).toMatch(/ Desk +anthropic +pass_through +enforce +tgw_\w{8}… +never\n/)
    expect(listed.out).not.toContain(token)
  })

  it('seals the key of the provider, read from standard input', async () => {
    const key = 'sk-provider-1234567890'
    const made = await json(`connections create ${AGENT} --provider openai --seal --mode observe`, {
      input: `${key}\n`,
    })
    expect(made.body).toMatchObject({ credential: 'sealed', mode: 'observe' })
    expect(Object.keys(made.body.environment)).toEqual(['OPENAI_BASE_URL', 'OPENAI_API_KEY'])
    const shown = await touchstone(`connections show ${AGENT} ${made.body.connection_id}`)
    expect(shown.out).toMatch(/^credential +sealed$/m)
    expect(shown.out + JSON.stringify(made.body)).not.toContain(key)
  })

  it('rotates the token and revokes the connection', async () => {
    const { connection_id, token } = await touchstoneApi.connections.create(AGENT, {
      provider: 'gemini',
    })
    const rotated = await touchstone(`connections rotate ${AGENT} ${connection_id} --grace-hours 1`)
    expect(rotated.code).toBe(0)
    expect(tokenIn(rotated.out)).not.toBe(token)
    expect(rotated.out).toContain('export GOOGLE_GEMINI_BASE_URL=')
    expect(await touchstone(`connections revoke ${AGENT} ${connection_id}`)).toMatchObject({
      code: 0,
      out: `Revoked ${connection_id}.\n`,
    })
    expect(await touchstone(`connections show ${AGENT} ${connection_id}`)).toMatchObject({
      code: 2,
    })
  })

  it('says what is wrong', async () => {
    expect(await touchstone(`connections create ${AGENT}`)).toMatchObject({
      code: 2,
      err: expect.stringContaining('--provider is required.'),
    })
    expect(
      await touchstone(`connections create ${AGENT} --provider openai_compatible`),
    ).toMatchObject({ code: 2, err: expect.stringContaining('upstream_url') })
    expect(await touchstone(`connections create nobody --provider openai`)).toMatchObject({
      code: 2,
    })
  })
})

describe('the connections of the SDK', () => {
  it('are created, read, changed, rotated and revoked', async () => {
    const { connections } = touchstoneApi
    const { connection_id } = await connections.create(AGENT, { provider: 'openai' })
    expect(await connections.update(AGENT, connection_id, { name: 'Renamed' })).toMatchObject({
      name: 'Renamed',
    })
    const { connections: all } = await connections.list(AGENT)
    expect(all).toContainEqual(await connections.get(AGENT, connection_id))
    expect((await connections.rotate(AGENT, connection_id)).token).toMatch(/^tgw_/)
    expect(await connections.revoke(AGENT, connection_id)).toEqual({ revoked: true, connection_id })
  })
})
