import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { startService, temporaryDir } from '#harness/process.ts'

const pathOf = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))
const SCRIPT = pathOf('docs/guide/first-decision.sh')
const VERIFIER = pathOf('docs/guide/verify-certificate.mjs')
const CHECKS = ['record', 'inputs', 'chain', 'merkle', 'signature', 'form'] as const

/** Nothing of the environment but the path, so that no setting of ours can help. */
async function run(command: string, args: readonly string[], env: Record<string, string> = {}) {
  const child = spawn(command, [...args], { env: { PATH: process.env['PATH'], ...env } })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output += String(chunk)
    })
  }
  const [code] = await once(child, 'close')
  return { code: Number(code), output }
}

/** Runs the verifier on a document that may be anything. */
function verifier(dir: string, keys: string) {
  return async (text: string) => {
    const file = join(await mkdtemp(join(dir, 'certificate-')), 'certificate.json')
    await writeFile(file, text)
    return run(process.execPath, [VERIFIER, file, keys])
  }
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
    await startService({ DATA_DIR: dir }, ['--empty'])
    const told = await run('bash', [SCRIPT], {
      CREDENTIALS: join(dir, 'credentials.json'),
      OUT: dir,
    })
    expect(told).toMatchObject({ code: 0 })
    const { code } = await run(process.execPath, [
      VERIFIER,
      join(dir, 'certificate.json'),
      join(dir, 'keys.json'),
    ])
    expect(code).toBe(0)
  })

  it('says what was refused, and ends', async () => {
    const dir = await temporaryDir()
    const service = await startService({ DATA_DIR: dir }, ['--empty'])
    const told = await run('bash', [SCRIPT, service.url, 'tsk_wrong'], { OUT: dir })
    expect(told.code).not.toBe(0)
    expect(told.output).toContain('unauthorized')
    expect(told.output).not.toContain('2. ')
  })
})

describe('the verifier of the guide', () => {
  it('is made of nothing but Node', async () => {
    const source = await readFile(VERIFIER, 'utf8')
    const imported = [...source.matchAll(/\b(?:from|import|require)\s*\(?\s*'([^']+)'/g)]
    expect(imported.map(([, name]) => name).sort()).toEqual(['node:crypto', 'node:fs'])
  })

  it('agrees with the shared vectors, tampered and malformed ones included', async () => {
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
