import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fullOrShort, runs, sampleOf } from '#harness/runs.ts'
import type { PublishedKey } from '../crypto/keys.ts'
import type { Certificate } from './certificate.ts'
import { verifyCertificate } from './verify-certificate.ts'

type Change = { name: string; certificate: number; pointer: string; value: unknown }
type Vectors = {
  keys: PublishedKey[]
  checkpoints: { certificate: Certificate }[]
  tampered: (Change & { failed: string[] })[]
  /** One problem at the pointer, or all problems. */
  malformed: (Change & { code?: string; problems?: { path: string; code: string }[] })[]
}

function readVectors(name: string): Vectors {
  const file = new URL(`../../../../vectors/attestation/${name}`, import.meta.url)
  return JSON.parse(readFileSync(file, 'utf8'))
}

/** A chain of version 1.0.0, and one that continues in version 1.1.0. */
const versions = [readVectors('certificate.json'), readVectors('certificate-1.1.json')]
const { keys } = versions[0] ?? { keys: [] }
const certificatesOf = ({ checkpoints }: Vectors) => checkpoints.map((one) => one.certificate)
const certificates = versions.flatMap(certificatesOf)
const numbered = certificates.map((certificate, i) => ({ i, certificate }))

/** A change with the certificate that it is made to. */
const tampered = versions.flatMap((vectors) =>
  vectors.tampered.map((change) => ({
    ...change,
    of: certificatesOf(vectors)[change.certificate],
  })),
)
const malformed = versions.flatMap((vectors) =>
  vectors.malformed.map((change) => ({
    ...change,
    of: certificatesOf(vectors)[change.certificate],
    problems: change.problems ?? [{ path: change.pointer, code: change.code }],
  })),
)

type Step = string | number
type Parent = Record<Step, unknown>

/** Applies a change at a path, in a copy. */
function changed(value: unknown, path: Step[], apply: (parent: Parent, key: Step) => void) {
  const copy = structuredClone(value)
  const parent = path.slice(0, -1).reduce((at, key) => (at as Parent)[key], copy) as Parent
  apply(parent, path.at(-1) ?? '')
  return copy
}

function replaced({ of, pointer, value }: Change & { of: unknown }): unknown {
  const path = pointer.slice(1).split('/')
  return changed(of, path, (parent, key) => {
    parent[key] = value
  })
}

/** Every path in a value: to its leaves, and to the objects and arrays on the way. */
function* paths(value: unknown, at: Step[] = []): Generator<{ path: Step[]; value: unknown }> {
  if (at.length > 0) yield { path: at, value }
  if (typeof value !== 'object' || value === null) return
  for (const [key, member] of Object.entries(value)) {
    yield* paths(member, [...at, Array.isArray(value) ? Number(key) : key])
  }
}

/** The URLs of version 1.0.0 are not signed. */
function isInformational({ version }: Certificate, path: readonly Step[]): boolean {
  return version === '1.0.0' && path[0] === 'verification' && path.length === 2
}

function isValid(certificate: unknown): boolean {
  const outcome = verifyCertificate(certificate, keys)
  return outcome.wellFormed && outcome.verification.valid
}

describe('a valid certificate', () => {
  it.each(numbered)('passes every check: number $i', ({ certificate }) => {
    const { signature, chain, merkle } = certificate.proofs
    const checked = merkle ? 'merkle: ok; ' : ''
    expect(verifyCertificate(certificate, keys)).toEqual({
      wellFormed: true,
      certificate,
      verification: {
        valid: true,
        checks: {
          signature: { valid: true, key_id: signature.key_id },
          record: { valid: true, record_hash: chain.record_hash },
          chain: { valid: true, chain_hash: chain.chain_hash },
          merkle: merkle && { valid: true, root: merkle.root },
          input_commitment: {
            valid: true,
            commitment: certificate.input_commitments.combined_commitment,
          },
          verdict_derivation: null,
        },
        details: `signature: ok; record: ok; chain: ok; ${checked}input_commitment: ok`,
      },
    })
  })

  it('needs its key to be published under the id derived from its bytes', () => {
    const [key, other] = keys
    if (!key || !other) throw new Error('the vectors have two keys')
    const verify = (published: PublishedKey[]) => verifyCertificate(certificates[0], published)
    const refused = { verification: { valid: false, checks: { signature: { valid: false } } } }
    expect(verify([])).toMatchObject(refused)
    expect(verify([other])).toMatchObject(refused)
    expect(verify([{ ...other, key_id: key.key_id }])).toMatchObject(refused)
    expect(verify([{ ...key, public_key: 'no key' }])).toMatchObject(refused)
    const decoy = { ...other, key_id: key.key_id }
    expect(verify([decoy, key])).toMatchObject({ verification: { valid: true } })
  })
})

describe('a changed certificate', () => {
  it.each(tampered)('fails the expected checks: $name', (change) => {
    const outcome = verifyCertificate(replaced(change), keys)
    if (!outcome.wellFormed) throw new Error(JSON.stringify(outcome.problems))
    const { valid, checks, details } = outcome.verification
    const failed = Object.entries(checks)
      .filter(([, check]) => check?.valid === false)
      .map(([name]) => name)
    expect(failed).toEqual(change.failed)
    expect(valid).toBe(change.failed.length === 0)
    for (const name of failed) expect(details).toMatch(new RegExp(`(^|; )${name}: (?!ok)`))
  })

  it.each(malformed)('is malformed: $name', (change) => {
    expect(verifyCertificate(replaced(change), keys)).toMatchObject({
      wellFormed: false,
      problems: change.problems,
    })
  })

  const other = (value: unknown): unknown[] => {
    if (typeof value === 'string') {
      return [`${value} `, value.slice(1), value.toUpperCase(), '', '0'.repeat(64), null, 0]
    }
    if (typeof value === 'number') return [value + 1, value - 1, value + 0.5, String(value), null]
    if (typeof value === 'boolean') return [!value, null, Number(value)]
    return ['', 0, false, [], {}, '0'.repeat(64), null]
  }

  it.each(numbered)('is invalid if any value of number $i is replaced', ({ certificate }) => {
    let tried = 0
    for (const { path, value } of paths(certificate)) {
      for (const replacement of other(value)) {
        if (isInformational(certificate, path) && typeof replacement === 'string') continue
        if (JSON.stringify(replacement) === JSON.stringify(value)) continue
        const copy = changed(certificate, path, (parent, key) => {
          parent[key] = replacement
        })
        expect(isValid(copy), `${path.join('/')} = ${JSON.stringify(replacement)}`).toBe(false)
        tried += 1
      }
    }
    expect(tried).toBeGreaterThan(200)
  })

  it.each(numbered)(
    'is invalid if any one of its fields is missing: number $i',
    ({ certificate }) => {
      for (const { path } of paths(certificate)) {
        const copy = changed(certificate, path, (parent, key) => {
          if (Array.isArray(parent)) parent.splice(Number(key), 1)
          else delete parent[key]
        })
        expect(isValid(copy), `without ${path.join('/')}`).toBe(false)
      }
    },
  )

  it.each(numbered)('is invalid if anything is added anywhere: number $i', ({ certificate }) => {
    expect(isValid({ ...certificate, added: 1 })).toBe(false)
    for (const { path, value } of paths(certificate)) {
      if (typeof value !== 'object' || value === null) continue
      const copy = changed(certificate, path, (parent, key) => {
        const at = parent[key]
        if (Array.isArray(at)) at.push(at[0] ?? { hash: '0'.repeat(64), position: 'left' })
        else Object.defineProperty(at, '__proto__', { value: 1, enumerable: true })
      })
      expect(isValid(copy), `added at ${path.join('/')}`).toBe(false)
    }
  })

  /**
   * All bits of the certificates with the longest proofs; one bit per byte of the others, to save
   * time.
   */
  const flipped = numbered.map((one) => ({ ...one, step: one.i % 5 === 4 ? 1 : 7 }))

  it.each(flipped)('is invalid after any flipped bit of its text: number $i', (one) => {
    const { certificate, step } = one
    const urls = JSON.stringify(certificate.verification)
    const bytes = Buffer.from(JSON.stringify(certificate))
    let parsed = 0
    const bits = Array.from({ length: Math.ceil((8 * bytes.length) / step) }, (_, n) => n * step)
    for (const bit of sampleOf(bits, 400)) {
      const text = Buffer.from(bytes)
      text[bit >> 3] = (text[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      const value = parse(text)
      if (value === undefined) continue
      parsed += 1
      if (isValid(value)) {
        expect(certificate.version, text.toString()).toBe('1.0.0')
        const { verification } = value as Certificate
        expect(JSON.stringify(verification), text.toString()).not.toBe(urls)
        expect({ ...(value as Certificate), verification: certificate.verification }).toEqual(
          certificate,
        )
      }
    }
    expect(parsed).toBeGreaterThan(fullOrShort({ full: 500, short: 20 }))
  })

  it('is invalid if parts of valid certificates are exchanged', () => {
    const pairs = versions.map(certificatesOf).flatMap((all) => {
      return all.flatMap((a) => all.map((b) => ({ a, b })))
    })
    for (const { a, b } of pairs) {
      for (const { path, value } of paths(b)) {
        if (isInformational(a, path) || path.length > 2) continue
        if (a.version === '1.0.0' && path[0] === 'verification') continue
        const copy = changed(a, path, (parent, key) => {
          parent[key] = value
        })
        const same = JSON.stringify(copy) === JSON.stringify(a)
        expect(isValid(copy), path.join('/')).toBe(same)
      }
    }
  })
})

/** Parses a body like the server: invalid UTF-8 is an error, not a replacement character. */
function parse(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return undefined
  }
}

describe('a document that is not a certificate', () => {
  it('is recognised as such, and never makes the verifier throw', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(verifyCertificate(value, keys).wellFormed).toBe(false)
      }),
    )
  })

  it('never makes the verifier throw with any JSON in any position', () => {
    const [, certificate] = certificates
    const places = [...paths(certificate)].map(({ path }) => path)
    const text = fc.string({ unit: fc.constantFrom('\ud800', 'a', '/', '~') })
    const values = fc.oneof(fc.jsonValue(), text, fc.constant(Number.POSITIVE_INFINITY))
    fc.assert(
      fc.property(fc.constantFrom(...places), values, (path, value) => {
        const copy = changed(certificate, path, (parent, key) => {
          parent[key] = value
        })
        expect(() => verifyCertificate(copy, keys)).not.toThrow()
      }),
      runs(500),
    )
  })

  it('is described by at most twenty JSON pointers', () => {
    const concerns = Array.from({ length: 1000 }, () => ({}))
    const [first] = certificates
    const wide = { ...first, claims: { ...first?.claims, concerns }, 'a/b~c': 1 }
    const outcome = verifyCertificate(wide, keys)
    if (outcome.wellFormed) throw new Error('taken for a certificate')
    expect(outcome.problems).toHaveLength(20)
    expect(outcome.problems[0]).toEqual({
      path: '/claims/concerns/0/category',
      code: 'required',
      message: 'is missing',
    })
    expect(verifyCertificate({ ...first, 'a/b~c': 1 }, keys)).toMatchObject({
      problems: [{ path: '/a~1b~0c', code: 'unknown_field' }],
    })
  })
})
