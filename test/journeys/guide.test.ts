import { spawn } from 'node:child_process'
import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { mkdtemp, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Service, startService, startSharedService } from '#harness/process.ts'
import { collectOutput } from '#harness/reader.ts'
import { temporaryDir } from '#harness/temporary-dir.ts'

const pathOf = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))
const SCRIPT = pathOf('docs/guide/first-decision.sh')
const VERIFIER = pathOf('docs/guide/verify-certificate.mjs')
const HISTORY_VERIFIER = pathOf('docs/guide/verify-history.mjs')
const RECEIPT_VERIFIER = pathOf('docs/guide/verify-receipt.mjs')
const VERIFIERS = [VERIFIER, HISTORY_VERIFIER, RECEIPT_VERIFIER]
const CHECKS = ['record', 'inputs', 'chain', 'merkle', 'signature', 'form'] as const

/** Passes only PATH and the given variables, so that no setting of the test run has an effect. */
async function run(command: string, args: readonly string[], env: Record<string, string> = {}) {
  return collectOutput(spawn(command, [...args], { env: { PATH: process.env['PATH'], ...env } }))
}

/** Returns a function that runs the certificate verifier on any text. */
function verifier(dir: string, keys: string) {
  return async (text: string) => {
    const file = join(await mkdtemp(join(dir, 'certificate-')), 'certificate.json')
    await writeFile(file, text)
    return run(process.execPath, [VERIFIER, file, keys])
  }
}

/** Returns a function that runs the history verifier on documents, in its argument order. */
function historyVerifier(dir: string) {
  return async (...documents: readonly unknown[]) => {
    const folder = await mkdtemp(join(dir, 'history-'))
    const files = documents.map((document, index) => ({
      path: join(folder, `${index}.json`),
      text: JSON.stringify(document),
    }))
    for (const { path, text } of files) await writeFile(path, text)
    return run(process.execPath, [HISTORY_VERIFIER, ...files.map(({ path }) => path)])
  }
}

/** Signs tree heads as the service does, with a new key. */
function headSigner() {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const { x = '' } = publicKey.export({ format: 'jwk' })
  const hash = createHash('sha256').update(Buffer.from(x, 'base64url')).digest('hex')
  const keyId = `key-${hash.slice(0, 16)}`
  return {
    keys: { keys: [{ key_id: keyId, x }] },
    sign: (head: { agent_id: string; leaf_count: number; merkle_root: string }) => ({
      ...head,
      key_id: keyId,
      signature: sign(null, Buffer.from(JSON.stringify(head)), privateKey).toString('base64'),
    }),
  }
}

/** Replaces one letter or digit with another, so that the text stays valid JSON. */
function changeAt(text: string, at: number): string {
  const char = text.charAt(at)
  const other = char === 't' ? 'f' : 't'
  const changed = /\d/.test(char) ? String((Number(char) + 1) % 10) : other
  return text.slice(0, at) + changed + text.slice(at + 1)
}

/** One offset inside each value of a JSON text without spaces, before `end`. */
function offsetsIn(text: string, end: number): number[] {
  const values = text.slice(0, end).matchAll(/:("(?:[^"\\]|\\.)+"|\d+)/g)
  return [...values].flatMap(({ index, 0: whole }) => {
    const inside = [...whole].findLastIndex((char) => /[a-z\d]/.test(char))
    return inside < 0 ? [] : [index + inside]
  })
}

let shared: { service: Service; credentials: string; key: string }

beforeAll(async () => {
  const dir = await temporaryDir()
  const service = await startSharedService({ DATA_DIR: dir })
  const credentials = join(dir, 'credentials.json')
  const { api_key: key } = JSON.parse(await readFile(credentials, 'utf8'))
  shared = { service, credentials, key }
})

describe('the guide', () => {
  it('leads from a new agent to a certificate that is verified after the service has stopped', async () => {
    const dir = await temporaryDir()
    const service = await startService({ DATA_DIR: dir }, ['--empty'])
    const { api_key: key } = JSON.parse(await readFile(join(dir, 'credentials.json'), 'utf8'))
    const result = await run('bash', [SCRIPT, service.url, key], { OUT: dir })
    expect(result).toMatchObject({ code: 0 })
    expect(result.output).toContain('boundary_violation: deny_and_escalate')
    expect(result.output.match(/created: \w+/g)).toEqual([
      'created: review_needed',
      'created: clear',
      'created: clear',
    ])
    await service.end()

    const check = verifier(dir, join(dir, 'keys.json'))
    const text = await readFile(join(dir, 'certificate.json'), 'utf8')
    const certificate = JSON.parse(text)
    expect(certificate.proofs.merkle.inclusion_proof).toHaveLength(1)
    const intact = await check(text)
    expect(intact.code).toBe(0)
    for (const name of CHECKS) expect(intact.output).toMatch(new RegExp(`^${name} +ok$`, 'm'))

    const offsets = offsetsIn(text, text.indexOf('"verification"'))
    expect(offsets.length).toBeGreaterThan(35)
    for (const at of offsets) {
      const changed = await check(changeAt(text, at))
      expect(changed, text.slice(at - 60, at + 1)).toMatchObject({
        code: 1,
        output: expect.stringContaining('FAILED'),
      })
    }
  })

  it('reads URL and key from credentials.json if none are given', async () => {
    const dir = await temporaryDir()
    const result = await run('bash', [SCRIPT], { CREDENTIALS: shared.credentials, OUT: dir })
    expect(result).toMatchObject({ code: 0 })
    const { code } = await run(process.execPath, [
      VERIFIER,
      join(dir, 'certificate.json'),
      join(dir, 'keys.json'),
    ])
    expect(code).toBe(0)
  })

  it('proves with saved tree heads that a history was only appended to', async () => {
    const dir = await temporaryDir()
    const { service, key: token } = shared
    await run('bash', [SCRIPT, service.url, token], { OUT: dir })
    const certificate = JSON.parse(await readFile(join(dir, 'certificate.json'), 'utf8'))
    const { agent_id: agent, checkpoint_id: checkpoint } = certificate.subject
    const get = async (path: string) => (await service.call('GET', path)).body
    const older = await get(`/v1/agents/${agent}/merkle-root`)
    const thinking = 'A parcel is late and the customer was told when it comes. '.repeat(8)
    await service.call('POST', `/v1/agents/${agent}/checkpoints`, { token, body: { thinking } })
    const newer = await get(`/v1/agents/${agent}/merkle-root`)
    const proof = await get(`/v1/agents/${agent}/consistency-proof?first=4&second=5`)
    const inclusion = await get(`/v1/checkpoints/${checkpoint}/inclusion-proof`)
    const keys = await get('/v1/keys')

    const check = historyVerifier(dir)
    expect(await check(keys, older)).toMatchObject({ code: 0 })
    expect(await check(keys, older, newer, proof)).toMatchObject({
      code: 0,
      output: `${agent}, 4 and 5 leaves\nhead       ok\nnewer head ok\ncontinues  ok\n`,
    })
    expect(await check(keys, newer, inclusion, certificate)).toMatchObject({
      code: 0,
      output: expect.stringMatching(/^included +ok$/m),
    })
    const changed = structuredClone(certificate)
    changed.proofs.chain.chain_hash = newer.merkle_root
    for (const wrong of [
      [keys, { ...older, leaf_count: 3 }],
      [{ keys: [] }, older],
      [keys, newer, older, proof],
      [keys, older, newer, { ...proof, proof: [] }],
      [keys, older, newer, { ...proof, second_root: older.merkle_root }],
      [keys, older, inclusion, certificate],
      [keys, newer, inclusion, changed],
      [keys, newer, { ...inclusion, leaf_index: 2 }, certificate],
      [keys, newer, { ...inclusion, siblings: inclusion.siblings.slice(1) }, certificate],
    ]) {
      expect(await check(...wrong), JSON.stringify(wrong)).toMatchObject({
        code: 1,
        output: expect.stringContaining('FAILED'),
      })
    }
  })

  it('reports a refused request in one line and exits', async () => {
    const dir = await temporaryDir()
    const result = await run('bash', [SCRIPT, shared.service.url, 'tsk_wrong'], { OUT: dir })
    expect(result.code).toBe(1)
    expect(result.output.trim().split('\n').slice(1)).toEqual([
      expect.stringMatching(/^\/v1\/agents was refused: .*"unauthorized"/),
    ])
  })

  it('reports an unreachable service in one line', async () => {
    const result = await run('bash', [SCRIPT, 'http://127.0.0.1:1', 'tsk_any'])
    expect(result.code).toBe(1)
    expect(result.output.trim().split('\n').slice(1)).toEqual([
      expect.stringMatching(/^Nothing answers at http:\/\/127\.0\.0\.1:1 .*Is the service running/),
    ])
  })

  it('explains how to get credentials if there are none', async () => {
    const CREDENTIALS = join(await temporaryDir(), 'credentials.json')
    expect(await run('bash', [SCRIPT], { CREDENTIALS })).toEqual({
      code: 1,
      output: `There is no ${CREDENTIALS}. Start the service first, or set CREDENTIALS=path/to/credentials.json.\n`,
    })
  })

  it('creates the output folder', async () => {
    const OUT = join(await temporaryDir(), 'new', 'folder')
    await run('bash', [SCRIPT, 'http://127.0.0.1:1', 'tsk_any'], { OUT })
    expect((await stat(OUT)).isDirectory()).toBe(true)
  })
})

describe('the verifiers of the guide', () => {
  it.each(VERIFIERS)('import only modules of Node (%#)', async (verifier) => {
    const source = await readFile(verifier, 'utf8')
    const imported = [...source.matchAll(/\b(?:from|import|require)\s*\(?\s*'([^']+)'/g)]
    expect(imported.map(([, name]) => name).sort()).toEqual(['node:crypto', 'node:fs'])
  })

  it.each(VERIFIERS)('print their usage (%#)', async (verifier) => {
    expect(await run(process.execPath, [verifier])).toMatchObject({
      code: 2,
      output: expect.stringMatching(/^usage: node verify-/),
    })
    expect(await run(process.execPath, [verifier, 'missing.json', 'keys.json'])).toMatchObject({
      code: 2,
      output: expect.stringMatching(/^missing\.json: ENOENT.*\n$/),
    })
  })

  it('accept every consistency proof of the shared vectors, and reject altered ones', async () => {
    const vectors = JSON.parse(await readFile(pathOf('vectors/attestation/tree.json'), 'utf8'))
    const signer = headSigner()
    const heads = vectors.roots.map(({ size, root }: { size: number; root: string }) =>
      signer.sign({ agent_id: 'agent-demo', leaf_count: size, merkle_root: root }),
    )
    const check = historyVerifier(await temporaryDir())
    for (const { first, second, proof } of vectors.consistency) {
      const [older, newer] = [heads[first], heads[second]]
      const response = {
        first,
        second,
        proof,
        first_root: older.merkle_root,
        second_root: newer.merkle_root,
      }
      expect(await check(signer.keys, older, newer, response)).toMatchObject({ code: 0 })
      const longer = { ...response, proof: [...proof, older.merkle_root] }
      expect(await check(signer.keys, older, newer, longer)).toMatchObject({ code: 1 })
    }
  })

  it('accept the shared receipts of decisions, and reject the changed ones', async () => {
    const folder = await temporaryDir()
    const vectors = JSON.parse(
      await readFile(pathOf('vectors/policy/decision-receipts.json'), 'utf8'),
    )
    const check = async (document: unknown, ...given: unknown[]) => {
      const files = [document, { keys: vectors.keys }, ...given].map((content, n) => ({
        path: join(folder, `${n}.json`),
        text: JSON.stringify(content),
      }))
      for (const { path, text } of files) await writeFile(path, text)
      return run(process.execPath, [RECEIPT_VERIFIER, ...files.map(({ path }) => path)])
    }
    for (const { name, receipt, valid } of vectors.receipts) {
      expect(await check({ decision: 'warn', receipt }), name).toMatchObject({
        code: valid ? 0 : 1,
      })
    }
    const [{ receipt }] = vectors.receipts
    expect(await check(receipt, vectors.arguments)).toMatchObject({ code: 0 })
    expect(await check(receipt, { ...vectors.arguments, amount: 21 })).toMatchObject({ code: 1 })
    expect(await check({ ...receipt, statement: undefined })).toMatchObject({ code: 1 })
  })

  it('agree with the shared vectors of certificates, tampered and malformed ones included', async () => {
    const dir = await temporaryDir()
    for (const version of ['certificate.json', 'certificate-1.1.json']) {
      const vectors = JSON.parse(await readFile(pathOf(`vectors/attestation/${version}`), 'utf8'))
      const keys = join(dir, 'keys.json')
      await writeFile(keys, JSON.stringify({ keys: vectors.keys }))
      const check = verifier(dir, keys)
      for (const { certificate } of vectors.checkpoints) {
        expect(await check(JSON.stringify(certificate))).toMatchObject({ code: 0 })
      }
      for (const { name, certificate, pointer, value, failed } of [
        ...vectors.tampered,
        ...vectors.malformed,
      ]) {
        const document = structuredClone(vectors.checkpoints[certificate].certificate)
        replace(document, pointer, value)
        const code = failed?.length === 0 ? 0 : 1
        expect(await check(JSON.stringify(document)), name).toMatchObject({ code })
      }
    }
  })
})

/** RFC 6901, as far as the vectors use it. */
// biome-ignore lint/suspicious/noExplicitAny: the pointer may lead to any value
function replace(document: any, pointer: string, value: unknown): void {
  const names = pointer.split('/').slice(1)
  const last = names.pop()
  if (last === undefined) throw new Error('the pointer must not name the whole document')
  names.reduce((found, name) => found[name], document)[last] = value
}
