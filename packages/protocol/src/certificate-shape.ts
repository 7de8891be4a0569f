import {
  CERTIFICATE_CONTEXT,
  CERTIFICATE_TYPE,
  CERTIFICATE_VERSION,
  type Certificate,
  SIGNATURE_ALGORITHM,
} from './certificate.ts'

/**
 * The shape of a certificate: its fields, all of them and no others, with their JSON types. A
 * field nobody knows is refused, because no check covers it and a reader might believe it.
 * Whether a value is right, even whether a hash is hex, is for the checks to say.
 */

export type ShapeProblem = {
  /** A JSON pointer (RFC 6901), such as `/proofs/chain/position`. */
  path: string
  code: 'required' | 'type' | 'enum' | 'pattern' | 'unknown_field'
  message: string
}

export type ShapeResult =
  | { wellFormed: true; certificate: Certificate }
  | { wellFormed: false; problems: readonly ShapeProblem[] }

/** Enough to mend a document by; an array of a million wrong items must not cost a million lines. */
const PROBLEMS_MAX = 20

/** With the u flag a surrogate pair is one character, so only lone halves match. */
const LONE_SURROGATE = /\p{Surrogate}/u

type Shape = (value: unknown, path: string) => ShapeProblem[]

/** Takes a value as JSON.parse gives it. */
export function readCertificate(value: unknown): ShapeResult {
  const problems: ShapeProblem[] = []
  return isCertificate(value, problems)
    ? { wellFormed: true, certificate: value }
    : { wellFormed: false, problems }
}

function isCertificate(value: unknown, problems: ShapeProblem[]): value is Certificate {
  problems.push(...CERTIFICATE(value, '').slice(0, PROBLEMS_MAX))
  return problems.length === 0
}

const text: Shape = (value, path) => {
  if (typeof value !== 'string') return [wrongType(path, 'a string')]
  // Such a text has no UTF-8 form, so nothing that holds it can be hashed.
  if (!LONE_SURROGATE.test(value)) return []
  return [{ path, code: 'pattern', message: 'must not contain lone surrogates' }]
}

const number: Shape = (value, path) =>
  Number.isFinite(value) ? [] : [wrongType(path, 'a finite number')]

const count: Shape = (value, path) =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
    ? []
    : [wrongType(path, 'a whole number from 0 to 2^53 - 1')]

const flag: Shape = (value, path) =>
  typeof value === 'boolean' ? [] : [wrongType(path, 'true or false')]

function exactly(expected: string | null): Shape {
  const message = `must be ${JSON.stringify(expected)}`
  return (value, path) => (value === expected ? [] : [{ path, code: 'enum', message }])
}

function nullOr(shape: Shape): Shape {
  return (value, path) => (value === null ? [] : shape(value, path))
}

function listOf(shape: Shape): Shape {
  return (value, path) => {
    if (!Array.isArray(value)) return [wrongType(path, 'an array')]
    const problems: ShapeProblem[] = []
    for (let i = 0; i < value.length && problems.length < PROBLEMS_MAX; i++) {
      problems.push(...shape(value[i], `${path}/${i}`))
    }
    return problems
  }
}

function object(fields: Readonly<Record<string, Shape>>): Shape {
  const expected = new Map(Object.entries(fields))
  return (value, path) => {
    if (!isObject(value)) return [wrongType(path, 'an object')]
    const at = (name: string) => `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
    const unknown = Object.keys(value)
      .filter((name) => !expected.has(name))
      .slice(0, PROBLEMS_MAX)
      .map((name): ShapeProblem => {
        return { path: at(name), code: 'unknown_field', message: 'is no field of a certificate' }
      })
    const wrong = [...expected].flatMap(([name, shape]): ShapeProblem[] =>
      Object.hasOwn(value, name)
        ? shape(value[name], at(name))
        : [{ path: at(name), code: 'required', message: 'is missing' }],
    )
    return [...wrong, ...unknown]
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function wrongType(path: string, expected: string): ShapeProblem {
  return { path, code: 'type', message: `must be ${expected}` }
}

const CERTIFICATE = object({
  '@context': exactly(CERTIFICATE_CONTEXT),
  type: exactly(CERTIFICATE_TYPE),
  version: exactly(CERTIFICATE_VERSION),
  certificate_id: text,
  issued_at: text,
  timestamp: text,
  subject: object({ checkpoint_id: text, agent_id: text, session_id: text, card_id: text }),
  claims: object({
    verdict: text,
    concerns: listOf(object({ category: text, severity: text, description: text })),
    confidence: number,
    reasoning_summary: text,
    analyzer: text,
    analysis_model: text,
    analysis_duration_ms: number,
    synthetic: flag,
  }),
  input_commitments: object({
    thinking_block_hash: text,
    output_block_hash: nullOr(text),
    card_hash: text,
    values_hash: text,
    context_hash: text,
    model_version: text,
    template_version: text,
    combined_commitment: text,
  }),
  proofs: object({
    signature: object({
      algorithm: exactly(SIGNATURE_ALGORITHM),
      key_id: text,
      value: text,
      signed_payload: text,
    }),
    chain: object({
      record_hash: text,
      chain_hash: text,
      prev_chain_hash: nullOr(text),
      position: count,
    }),
    merkle: nullOr(
      object({
        leaf_hash: text,
        leaf_index: count,
        root: text,
        tree_size: count,
        inclusion_proof: listOf(object({ hash: text, position: text })),
      }),
    ),
    verdict_derivation: exactly(null),
  }),
  verification: object({ keys_url: text, certificate_url: text, verify_url: text }),
})
