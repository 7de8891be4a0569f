import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it } from 'vitest'
import { onFileFinished } from '#harness/on-file-finished.ts'
import { createEgress } from '../../../egress/egress.ts'
import type { Prover } from './ports.ts'
import { createExternalProver } from './prover-client.ts'

const OWN: Prover = {
  proofType: 'stark',
  system: 'touchstone-stark',
  systemVersion: '1.0',
  securityBits: 100,
  audited: false,
  formula: 'risk-v1',
  programId: async () => 'sha256:ours',
  prove: () => Promise.reject(new Error('not this one')),
  verify: async () => false,
}

async function startServer(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onFileFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/prove`
}

function proverAt(url: string, bounds: { timeoutMs?: number; answerBytesMax?: number } = {}) {
  const outbound = createEgress({ allowLoopback: true, allowCidrs: [] }).request
  const named = { system: 'acme-prover', systemVersion: '2.1' }
  return createExternalProver(OWN, { url, key: 'k-1', ...named, outbound, ...bounds })
}

const startAnswering = (body: string | Buffer, status = 200) =>
  startServer((_req, res) => void res.writeHead(status).end(body))

describe('external prover', () => {
  it('receives program, formula, inputs and key, and its bytes are returned unchanged', async () => {
    const received: { body: unknown; key: string | undefined }[] = []
    const url = await startServer(async (req, res) => {
      let text = ''
      for await (const chunk of req) text += String(chunk)
      received.push({ body: JSON.parse(text), key: req.headers.authorization })
      res.end(JSON.stringify({ proof: 'AQI=', journal: 'e30=', ms: 1e9, system: 'touchstone' }))
    })
    const result = await proverAt(url).prove({ a: 1 })
    expect(result).toMatchObject({ proof: Buffer.from([1, 2]), journal: Buffer.from('{}') })
    expect(result.ms).toBeLessThan(1e9)
    const body = { program_id: 'sha256:ours', formula: 'risk-v1', inputs: { a: 1 } }
    expect(received).toEqual([{ body, key: 'Bearer k-1' }])
  })

  it('has its own name, but keeps our program, security level and verifier', async () => {
    const prover = proverAt('http://127.0.0.1:1/')
    expect(prover).toMatchObject({ system: 'acme-prover', systemVersion: '2.1', audited: false })
    expect(await prover.programId()).toBe('sha256:ours')
    expect(prover.verify).toBe(OWN.verify)
  })

  it.each([
    ['is not JSON', 'a proof'],
    ['is not UTF-8', Buffer.from([0x22, 0xff, 0x22])],
    ['is not an object', 'null'],
    ['has no journal', '{"proof":"AQI="}'],
    ['has an empty proof', '{"proof":"","journal":"e30="}'],
    ['has a proof that is not base64', '{"proof":"*","journal":"e30="}'],
    ['has non-canonical base64', '{"proof":"AQJ=","journal":"e30="}'],
  ])('is rejected when its response %s', async (_what, body) => {
    await expect(proverAt(await startAnswering(body)).prove({})).rejects.toThrow('prover response')
  })

  it('fails on any status but 200, including redirects', async () => {
    for (const status of [302, 400, 401, 500]) {
      const url = await startAnswering('{"proof":"AQI=","journal":"e30="}', status)
      await expect(proverAt(url).prove({})).rejects.toThrow(
        `prover responded with status ${status}`,
      )
    }
  })

  it('times out when it does not respond, or never ends its response', async () => {
    const silent = await startServer(() => undefined)
    const kind = { kind: 'timeout' }
    await expect(proverAt(silent, { timeoutMs: 50 }).prove({})).rejects.toMatchObject(kind)
    const endless = await startServer((_req, res) => void res.writeHead(200).write('{'))
    await expect(proverAt(endless, { timeoutMs: 200 }).prove({})).rejects.toMatchObject(kind)
  })

  it('fails when its response is too large', async () => {
    const url = await startServer((_req, res) => {
      const more = () => {
        while (res.write('x'.repeat(65_536)));
        res.once('drain', more)
      }
      more()
    })
    const prover = proverAt(url, { answerBytesMax: 1_000_000 })
    await expect(prover.prove({})).rejects.toMatchObject({ kind: 'too_large' })
  })

  it('fails when it is unreachable', async () => {
    await expect(proverAt('http://127.0.0.1:1/').prove({})).rejects.toMatchObject({
      kind: 'connection',
    })
  })
})
