import { spawn } from 'node:child_process'
import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { mkdtemp, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  ed25519PublicKey,
  hashCanonical,
  publishedKey,
  signEd25519,
} from '@touchstone/protocol/crypto'
import {
  assembleDecisionReceipt,
  decisionPayload,
  decisionStatement,
} from '@touchstone/protocol/policy'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Service, startService, startSharedService, temporaryDir } from '#harness/process.ts'
import { heard } from '#harness/reader.ts'

const pathOf = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))
const SCRIPT = pathOf('docs/guide/first-decision.sh')
const VERIFIER = pathOf('docs/guide/verify-certificate.mjs')
const HISTORY_VERIFIER = pathOf('docs/guide/verify-history.mjs')
const RECEIPT_VERIFIER = pathOf('docs/guide/verify-receipt.mjs')
const VERIFIERS = [VERIFIER, HISTORY_VERIFIER, RECEIPT_VERIFIER]
const CHECKS = ['record', 'inputs', 'chain', 'merkle', 'signature', 'form'] as const

/** Nothing of the environment but the path, so that no setting of ours can help. */
async function run(command: string, args: readonly string[], env: Record<string, string> = {}) {
  return heard(spawn(command, [...args], { env: { PATH: process.env['PATH'], ...env } }))
}

/** Runs the verifier on a document that may be anything. */
function verifier(dir: string, keys: string) {
  return async (text: string) => {
    const file = join(await mkdtemp(join(dir, 'certificate-')), 'certificate.json')
    await writeFile(file, text)
    return run(process.execPath, [VERIFIER, file, keys])
  }
}

/** Runs the verifier of histories on documents in its order. */
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

/** Signs heads as the service would, with a key of its own. */
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

/** A receipt as the service gives it, with the arguments of its call. */
function decisionReceipt() {
  const seed = Buffer.alloc(32, 7)
  const publicKey = ed25519PublicKey(seed)
  const published = publishedKey(publicKey, { createdAt: '2026-03-01', isActive: true })
  const call = { order: 1182, amount: 20, text: 'Grüße' }
  const statement = decisionStatement({
    decision_id: 'dec-1',
    decision: 'warn',
    agent_id: 'agent-1',
    tool: 'refund',
    arguments_hash: hashCanonical(call),
    policy_id: 'pol-1',
    policy_version: 3,
    transaction_id: null,
    escalation_id: 'esc-1',
    decided_at: '2026-03-01T12:00:00.000Z',
  })
  const value = Buffer.from(signEd25519(decisionPayload(statement), seed)).toString('base64')
  const receipt = assembleDecisionReceipt(statement, { keyId: published.key_id, signature: value })
  return { receipt, keys: [published], call }
}

/** A letter or digit becomes another one, so that the text stays JSON of the same form. */
function changeAt(text: string, at: number): string {
  const char = text.charAt(at)
  const other = char === 't' ? 'f' : 't'
  const changed = /\d/.test(char) ? String((Number(char) + 1) % 10) : other
  return text.slice(0, at) + changed + text.slice(at + 1)
}

/** One place in each value of a document without spaces, up to a mark. */
function placesIn(text: string, end: number): number[] {
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
  it('leads from a new agent to a certificate that is checked with the service gone', async () => {
    const dir = await temporaryDir()
    const service = await startService({ DATA_DIR: dir }, ['--empty'])
    const { api_key: key } = JSON.parse(await readFile(join(dir, 'credentials.json'), 'utf8'))
    const told = await run('bash', [SCRIPT, service.url, key], { OUT: dir })
    expect(told).toMatchObject({ code: 0 })
    expect(told.output).toContain('boundary_violation: deny_and_escalate')
    expect(told.output.match(/created: \w+/g)).toEqual([
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

    const places = placesIn(text, text.indexOf('"verification"'))
    expect(places.length).toBeGreaterThan(35)
    for (const at of places) {
      const changed = await check(changeAt(text, at))
      expect(changed, text.slice(at - 60, at + 1)).toMatchObject({
        code: 1,
        output: expect.stringContaining('FAILED'),
      })
    }
  })

  it('takes address and key from credentials.json when none is given', async () => {
    const dir = await temporaryDir()
    const told = await run('bash', [SCRIPT], { CREDENTIALS: shared.credentials, OUT: dir })
    expect(told).toMatchObject({ code: 0 })
    const { code } = await run(process.execPath, [
      VERIFIER,
      join(dir, 'certificate.json'),
      join(dir, 'keys.json'),
    ])
    expect(code).toBe(0)
  })

  it('proves that a history was only added to, with the heads somebody kept', async () => {
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

  it('says in one line what was refused, and ends', async () => {
    const dir = await temporaryDir()
    const told = await run('bash', [SCRIPT, shared.service.url, 'tsk_wrong'], { OUT: dir })
    expect(told.code).toBe(1)
    expect(told.output.trim().split('\n').slice(1)).toEqual([
      expect.stringMatching(/^\/v1\/agents was refused: .*"unauthorized"/),
    ])
  })

  it('says in one line that nobody answers', async () => {
    const told = await run('bash', [SCRIPT, 'http://127.0.0.1:1', 'tsk_any'])
    expect(told.code).toBe(1)
    expect(told.output.trim().split('\n').slice(1)).toEqual([
      expect.stringMatching(/^Nothing answers at http:\/\/127\.0\.0\.1:1 .*Is the service running/),
    ])
  })

  it('says what to do when there are no credentials', async () => {
    const CREDENTIALS = join(await temporaryDir(), 'credentials.json')
    expect(await run('bash', [SCRIPT], { CREDENTIALS })).toEqual({
      code: 1,
      output: `There is no ${CREDENTIALS}. Start the service first, or set CREDENTIALS=path/to/credentials.json.\n`,
    })
  })

  it('makes the folder it is told to write to', async () => {
    const OUT = join(await temporaryDir(), 'new', 'folder')
    await run('bash', [SCRIPT, 'http://127.0.0.1:1', 'tsk_any'], { OUT })
    expect((await stat(OUT)).isDirectory()).toBe(true)
  })
})

describe('the verifiers of the guide', () => {
  it.each(VERIFIERS)('are made of nothing but Node (%#)', async (verifier) => {
    const source = await readFile(verifier, 'utf8')
    const imported = [...source.matchAll(/\b(?:from|import|require)\s*\(?\s*'([^']+)'/g)]
    expect(imported.map(([, name]) => name).sort()).toEqual(['node:crypto', 'node:fs'])
  })

  it.each(VERIFIERS)('say how they are used (%#)', async (verifier) => {
    expect(await run(process.execPath, [verifier])).toMatchObject({
      code: 2,
      output: expect.stringMatching(/^usage: node verify-/),
    })
    expect(await run(process.execPath, [verifier, 'missing.json', 'keys.json'])).toMatchObject({
      code: 2,
      output: expect.stringMatching(/^missing\.json: ENOENT.*\n$/),
    })
  })

  it('agree with every consistency proof of the shared vectors, and with no other', async () => {
    const vectors = JSON.parse(await readFile(pathOf('vectors/attestation/tree.json'), 'utf8'))
    const signer = headSigner()
    const heads = vectors.roots.map(({ size, root }: { size: number; root: string }) =>
      signer.sign({ agent_id: 'agent-demo', leaf_count: size, merkle_root: root }),
    )
    const check = historyVerifier(await temporaryDir())
    for (const { first, second, proof } of vectors.consistency) {
      const [older, newer] = [heads[first], heads[second]]
      const told = {
        first,
        second,
        proof,
        first_root: older.merkle_root,
        second_root: newer.merkle_root,
      }
      expect(await check(signer.keys, older, newer, told)).toMatchObject({ code: 0 })
      const longer = { ...told, proof: [...proof, older.merkle_root] }
      expect(await check(signer.keys, older, newer, longer)).toMatchObject({ code: 1 })
    }
  })

  it('agree with receipts of decisions, and with none of which a value is another', async () => {
    const folder = await temporaryDir()
    const { receipt, keys, call } = decisionReceipt()
    const check = async (document: unknown, given: unknown = call) => {
      const files = [document, { keys }, given].map((content, n) => ({
        path: join(folder, `${n}.json`),
        text: JSON.stringify(content),
      }))
      for (const { path, text } of files) await writeFile(path, text)
      return run(process.execPath, [RECEIPT_VERIFIER, ...files.map(({ path }) => path)])
    }
    expect(await check({ decision: 'warn', receipt })).toMatchObject({
      code: 0,
      output: expect.stringContaining('dec-1 of agent-1 at 2026-03-01T12:00:00.000Z'),
    })
    expect(await check(receipt, { ...call, amount: 21 })).toMatchObject({ code: 1 })
    for (const field of Object.keys(receipt.statement)) {
      const statement = { ...receipt.statement, [field]: 'other' }
      expect(await check({ ...receipt, statement }), field).toMatchObject({ code: 1 })
    }
    expect(await check({ ...receipt, statement: undefined })).toMatchObject({ code: 1 })
  })

  it('agree with the shared certificates, tampered and malformed ones included', async () => {
    const dir = await temporaryDir()
    const vectors = JSON.parse(
      await readFile(pathOf('vectors/attestation/certificate.json'), 'utf8'),
    )
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
  })
})

/** RFC 6901, as far as the vectors use it. */
// biome-ignore lint/suspicious/noExplicitAny: a document that is about to be made wrong
function replace(document: any, pointer: string, value: unknown): void {
  const names = pointer.split('/').slice(1)
  const last = names.pop()
  if (last === undefined) throw new Error('a pointer to the whole document')
  names.reduce((found, name) => found[name], document)[last] = value
}
