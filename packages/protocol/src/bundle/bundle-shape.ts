import { isJsonObject } from '../base/shape.ts'
import {
  count,
  exactly,
  flag,
  integer,
  listOf,
  nullOr,
  number,
  object,
  problemsOf,
  type Shape,
  type ShapeProblem,
  text,
} from '../base/strict-shape.ts'
import { CHAIN_PROOF, RECORD } from '../evidence/certificate-shape.ts'
import { ASSURANCE_LIMITS, isAssuranceLevel } from '../score/assurance.ts'
import { COMPONENTS, PAIR_WEIGHTS } from '../score/component-scores.ts'
import { METHODOLOGY } from '../score/score.ts'
import {
  BUNDLE_FORMAT,
  BUNDLE_KINDS,
  type BundleEntry,
  type BundleKind,
  type BundleTrailer,
  METHODOLOGY_1,
} from './bundle.ts'

/** A line with its kind, before its contents are checked. */
export type BundleLine =
  | (BundleEntry & { digest: string })
  | { kind: 'trailer'; value: BundleTrailer }

export type LineResult =
  | { wellFormed: true; line: BundleLine }
  | { wellFormed: false; kind: BundleKind | undefined; problems: readonly ShapeProblem[] }

/** Takes a line as text, or as JSON.parse returns it. */
export function readLine(given: unknown): LineResult {
  const value = typeof given === 'string' ? parse(given) : given
  const kind = BUNDLE_KINDS.find((one) => one === kindOf(value))
  const problems: ShapeProblem[] = []
  return isLine(value, kind, problems)
    ? { wellFormed: true, line: value }
    : { wellFormed: false, kind, problems }
}

/** Undefined, which no JSON text evaluates to, if the text is not JSON. */
function parse(given: string): unknown {
  try {
    return JSON.parse(given)
  } catch {
    return undefined
  }
}

function kindOf(value: unknown): unknown {
  return typeof value === 'object' && value !== null && 'kind' in value ? value.kind : undefined
}

function isLine(
  value: unknown,
  kind: BundleKind | undefined,
  problems: ShapeProblem[],
): value is BundleLine {
  if (kind === undefined) {
    problems.push({ path: '/kind', code: 'enum', message: 'must be a kind of bundle line' })
  } else {
    problems.push(...problemsOf(LINES[kind], value))
  }
  return problems.length === 0
}

const sealed = (kind: BundleKind, value: Shape): Shape =>
  object({ kind: exactly(kind), value, digest: text })

/** Any value, because the certificate's shape is checked by its own verification. */
const anything: Shape = () => []

const PUBLISHED = {
  score: count,
  grade: text,
  tier: text,
  confidence: text,
  checkpoint_count: count,
  components: object(Object.fromEntries(COMPONENTS.map(({ key }) => [key, count]))),
  computed_at: text,
  chain_length: count,
  tree_size: count,
  root: text,
}
const BASIS = {
  checkpoints: object({ scored: count, clear: count, excluded: count }),
  sessions: object({ total: count, unstable: count }),
  adjustment_e4: integer,
}
const PAIR_SCORES = { count, pair_score_e4_sum: count }
const HEADER = {
  format: exactly(BUNDLE_FORMAT),
  agent_id: text,
  tree_head: object({ leaf_count: count, merkle_root: text, key_id: text, signature: text }),
}

const level: Shape = (value, path) =>
  isAssuranceLevel(value) ? [] : [{ path, code: 'enum', message: 'must be an assurance level' }]
const limit: Shape = (value, path) =>
  ASSURANCE_LIMITS.some((one) => one === value)
    ? []
    : [{ path, code: 'enum', message: 'must be a limit of assurance' }]

const weight: Shape = (value, path) =>
  value === PAIR_WEIGHTS.withinOrg || value === PAIR_WEIGHTS.acrossOrgs
    ? []
    : [{ path, code: 'enum', message: 'must be 0.5 or 1' }]

const HEADER_1 = object({
  ...HEADER,
  methodology_version: exactly(METHODOLOGY_1),
  published: object(PUBLISHED),
  basis: object({ ...BASIS, peers: object(PAIR_SCORES), traces_stored: count }),
})
const HEADER_2 = object({
  ...HEADER,
  methodology: exactly(METHODOLOGY),
  published: object({
    ...PUBLISHED,
    assurance: object({
      level,
      observed_share: number,
      relayed_share: number,
      days: count,
      span_days: count,
      effective_checkpoints: count,
      limits: listOf(limit),
    }),
    assured_score: count,
  }),
  basis: object({
    ...BASIS,
    peers: object(PAIR_SCORES, { across_orgs: object(PAIR_SCORES) }),
    traces_verified: count,
    assurance: object({
      claimed: flag,
      decisions_allowed: count,
      outcomes_known: count,
      witnessed: flag,
    }),
  }),
})

/** Older bundles state the version of their methodology under another name. */
const header: Shape = (value, path) => {
  const isFirst = isJsonObject(value) && Object.hasOwn(value, 'methodology_version')
  return (isFirst ? HEADER_1 : HEADER_2)(value, path)
}

const LINES: Readonly<Record<BundleKind, Shape>> = {
  header: sealed('header', header),
  trace_drift: sealed(
    'trace_drift',
    object({ alert_id: text, session_id: text, detected_at: text }),
  ),
  pair_score: sealed(
    'pair_score',
    object({ peer_id: nullOr(text), pair_score_e4: count, checked_at: text }, { weight }),
  ),
  adjustment: sealed(
    'adjustment',
    object({ adjustment_id: text, points_e4: integer, valid_until: text }),
  ),
  checkpoint: sealed(
    'checkpoint',
    object(
      {
        record: RECORD,
        chain: CHAIN_PROOF,
        leaf_index: nullOr(count),
        flags: listOf(text),
        excluded_from_score: flag,
        reclassification: nullOr(text),
      },
      { received_at: text },
    ),
  ),
  certificate: sealed('certificate', anything),
  trailer: object({
    kind: exactly('trailer'),
    value: object({ lines: count, digest: text, key_id: text, signature: text }),
  }),
}
