import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { textOf } from '#harness/checkpoints.ts'
import { endChain } from '#harness/end-chain.ts'
import { onFileFinished } from '#harness/on-file-finished.ts'
import { CLI_BIN, runCommand, type Service, startWithCli } from '#harness/process.ts'
import { temporaryDir } from '#harness/temporary-dir.ts'

const AGENT = 'published-desk'

/** Runs the command line against a service with its API key. */
async function createCommandLine(service: Service, dataDir: string) {
  const text = await readFile(join(dataDir, 'credentials.json'), 'utf8')
  const { api_key: token } = JSON.parse(text)
  const env = {
    TOUCHSTONE_URL: service.url,
    TOUCHSTONE_API_KEY: token,
    TOUCHSTONE_CONFIG: join(dataDir, 'no-config.json'),
  }
  const run = (...args: string[]) => runCommand(args, env, CLI_BIN)
  return { token, run }
}

describe('touchstone verify on-chain', () => {
  it('verifies a published score with nothing but an RPC node', async () => {
    const dir = await temporaryDir()
    onFileFinished(() => endChain(dir))
    const service = await startWithCli({ DATA_DIR: dir })
    const { token, run } = await createCommandLine(service, dir)
    const lines = Array.from({ length: 60 }, (_, n) =>
      JSON.stringify({ session_id: `s${n % 5}`, thinking: textOf(n) }),
    )
    const file = join(dir, 'decisions.ndjson')
    await writeFile(file, lines.join('\n'))
    expect(await run('agents', 'register', AGENT)).toMatchObject({ code: 0 })
    expect(await run('checkpoints', 'send', file, '--agent', AGENT)).toMatchObject({ code: 0 })
    const scored = JSON.parse((await run('score', AGENT, '--json')).output)
    const { score, grade } = scored
    const publications = [{ agent_id: AGENT, score, grade }]
    const published = await service.call('POST', '/v1/on-chain/publish-scores', {
      token,
      body: { publications },
    })
    expect(published.status).toBe(200)

    const rpc = `${service.url}/dev/chain`
    const proof = await service.call('GET', `/v1/on-chain/verify-proof/${AGENT}`, { token })
    const metadata = join(dir, 'proof.json')
    await writeFile(metadata, JSON.stringify(proof.body))
    const command = ['verify', 'on-chain', AGENT, '--rpc', rpc, '--metadata', metadata]
    const good = await run(...command, '--json')
    expect(good.code).toBe(0)
    expect(JSON.parse(good.output)).toMatchObject({ valid: true })
    expect(good.output).toContain(published.body.tx_hash)

    const forged = { ...proof.body, metadata: { ...proof.body.metadata, confidence: 'certain' } }
    await writeFile(metadata, JSON.stringify(forged))
    expect(await run(...command)).toMatchObject({ code: 1 })
    const { reputation_registry: registry } = (await service.call('GET', '/v1/on-chain/contracts'))
      .body
    const unknown = ['verify', 'on-chain', 'nobody-here', '--rpc', rpc, '--registry', registry]
    expect(await run(...unknown)).toMatchObject({ code: 1 })
    expect(await run('verify', 'on-chain', AGENT, '--rpc', 'http://127.0.0.1:1')).toMatchObject({
      code: 2,
      output: expect.stringContaining('cannot be queried'),
    })
  })
})
