import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { csvRow } from '../../../exports/csv.ts'
import { controlsOf } from './controls.ts'
import { createFigures } from './figures.ts'
import type { Pack } from './pack.ts'
import { pageOf } from './page.ts'
import type { Log, People } from './ports.ts'
import {
  createOrgEntries,
  edgesOf,
  entriesIn,
  type LogRange,
  type OrgEntries,
  rangeOf,
} from './range-service.ts'
import {
  decisionLines,
  type LineContext,
  type LineDeps,
  type Lines,
  line,
  policyLines,
  recordLines,
} from './record-lines-service.ts'
import { type Member, type WrittenMember, zipOf } from './zip-service.ts'

export type BuildDeps = LineDeps & {
  log: Log
  people: People
  /** The host of the service, as the page names it. */
  origin(): Promise<string>
}

/** Beside `src` and `dist`. */
const VERIFIER = new URL('../../../../pack/', import.meta.url)
const VERIFIER_FILES = [
  'verify.mjs',
  'verify/checkpoint.mjs',
  'verify/common.mjs',
  'verify/records.mjs',
  'verify/tree.mjs',
]

const FORMAT = 'touchstone.evidence-pack'
const VERSION = 1

/** Shares of the work, in percent: finding the entries, writing their records, proving them. */
const WALKED = 30
const RECORDED = 60

type Progress = (percent: number) => void

/** The bytes of a pack. Entries are found first, so that every later member knows which they are. */
export async function* buildPack(
  deps: BuildDeps,
  pack: Pack,
  onProgress: Progress,
): AsyncGenerator<Uint8Array> {
  const { log } = deps
  const { orgId } = pack
  const range = await rangeOf(pack, log)
  const { orgEntries, look } = await createOrgEntries({ orgId, period: pack }, deps.entries)
  const context: LineContext = {
    orgId,
    period: pack,
    size: range.checkpoint.size,
    orgEntries,
    figures: createFigures(),
    earlier: [],
  }
  const written: WrittenMember[] = []
  const members: Member[] = [
    { name: 'log/entries.ndjson', texts: () => entryTexts(log, range, { look, onProgress }) },
    {
      name: 'log/edges.json',
      async *texts() {
        yield line(await edgesOf(range, log))
      },
    },
    { name: 'log/checkpoint', texts: () => [range.checkpoint.note] },
    textMember('log/policy.txt', () => log.policy()),
    ...recordMembers(deps, context, onProgress),
    { name: 'unopened.ndjson', texts: () => unopenedLines(orgEntries) },
    {
      name: 'proofs.ndjson',
      texts: () => proofLines(log, range, { indexes: indexesOf(context), onProgress }),
    },
    { name: 'controls.csv', texts: () => controlRows(pack, context) },
    { name: 'index.html', texts: () => page(deps, { pack, range, context }) },
    ...VERIFIER_FILES.map((name) =>
      textMember(name, () => readFile(new URL(name, VERIFIER), 'utf8')),
    ),
    {
      name: 'manifest.json',
      async *texts() {
        yield manifest({ pack, origin: await deps.origin(), range, context, written })
      },
    },
  ]
  yield* zipOf(members, { at: pack.createdAt, written })
}

const TYPES = [
  'decisions',
  'outcome',
  'approval',
  'checkpoint',
  'policy',
  'containment',
  'reclassification',
  'score',
] as const

/** The places of all entries that the pack is about, in the order of the log. */
function indexesOf({ orgEntries, earlier }: LineContext): number[] {
  const ofPeriod = TYPES.flatMap((type) => orgEntries.ofType(type))
  return [...earlier, ...ofPeriod].sort((a, b) => a - b)
}

function recordMembers(deps: BuildDeps, context: LineContext, onProgress: Progress): Member[] {
  const records = (name: string, lines: () => Lines): Member => ({
    name: `records/${name}.ndjson`,
    async *texts() {
      for await (const text of lines()) {
        yield text
        onProgress(WALKED + RECORDED * shareOpened(context))
      }
    },
  })
  return [
    records('decisions', () => decisionLines(deps, context)),
    records('outcomes', () => recordLines(deps, context, 'outcome')),
    records('approvals', () => recordLines(deps, context, 'approval')),
    records('checkpoints', () => recordLines(deps, context, 'checkpoint')),
    records('policies', () => policyLines(deps, context)),
    records('containment', () => recordLines(deps, context, 'containment')),
    records('reclassifications', () => recordLines(deps, context, 'reclassification')),
    records('scores', () => recordLines(deps, context, 'score')),
  ]
}

function shareOpened({ orgEntries }: LineContext): number {
  const total = TYPES.reduce((sum, type) => sum + orgEntries.ofType(type).length, 0)
  return total === 0 ? 1 : 1 - orgEntries.count / total
}

function textMember(name: string, read: () => Promise<string>): Member {
  return {
    name,
    async *texts() {
      yield await read()
    },
  }
}

async function* entryTexts(
  log: Log,
  range: LogRange,
  { look, onProgress }: { look(index: number, bytes: Uint8Array): void; onProgress: Progress },
): Lines {
  for await (const { first, entries } of entriesIn(range, log)) {
    let text = ''
    for (const [i, bytes] of entries.entries()) {
      look(first + i, bytes)
      text += `${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8')}\n`
    }
    yield text
    onProgress((WALKED * (first - range.first)) / (range.end - range.first))
  }
}

async function* unopenedLines(orgEntries: OrgEntries): Lines {
  for (const one of orgEntries.unopened()) yield line(one)
}

async function* proofLines(
  log: Log,
  { checkpoint }: LogRange,
  { indexes, onProgress }: { indexes: readonly number[]; onProgress: Progress },
): Lines {
  for (const [n, index] of indexes.entries()) {
    yield line({ index, proof: await log.proofText(index, checkpoint) })
    onProgress(WALKED + RECORDED + (10 * n) / indexes.length)
  }
}

const COLUMNS = ['framework', 'control', 'title', 'answered_by', 'records', 'not_answered_here']

function* controlRows(pack: Pack, { figures }: LineContext): Generator<string> {
  yield csvRow(COLUMNS)
  for (const { framework, id, title, answer, records, gap } of controlsOf(pack.frameworks)) {
    const counts = records.map((kind) => `${kind} ${figures.countOf(kind)}`).join('; ')
    yield csvRow([framework, id, title, answer, counts, gap])
  }
}

type Made = { pack: Pack; range: LogRange; context: LineContext }

async function* page(deps: BuildDeps, { pack, range, context }: Made): Lines {
  const { first, end, checkpoint } = range
  yield* pageOf({
    pack,
    origin: await deps.origin(),
    range: { first, end, size: checkpoint.size },
    checkpointAt: checkpoint.createdAt,
    figures: context.figures,
    unopened: context.orgEntries.count,
    controls: controlsOf(pack.frameworks),
    emails: await deps.people.emails(pack.orgId),
  })
}

function manifest(made: Made & { origin: string; written: readonly WrittenMember[] }): string {
  const { pack, origin, range, context, written } = made
  const { first, end, checkpoint } = range
  const described = {
    format: FORMAT,
    version: VERSION,
    pack_id: pack.packId,
    org_id: pack.orgId,
    from: pack.from.toISOString(),
    to: pack.to.toISOString(),
    created_at: pack.createdAt.toISOString(),
    frameworks: pack.frameworks,
    log: { origin, first, end, size: checkpoint.size },
    tags: Object.fromEntries(context.orgEntries.tags),
    unopened: context.orgEntries.count,
    files: written,
  }
  return `${JSON.stringify(described, null, 2)}\n`
}

/** Collects the pieces of a pack into parts of a fixed size. */
export async function* partsOf(
  pieces: AsyncIterable<Uint8Array>,
  bytesMax: number,
): AsyncGenerator<Buffer> {
  let waiting: Uint8Array[] = []
  let size = 0
  for await (const piece of pieces) {
    waiting.push(piece)
    size += piece.length
    if (size < bytesMax) continue
    yield Buffer.concat(waiting)
    waiting = []
    size = 0
  }
  if (size > 0) yield Buffer.concat(waiting)
}

export function createDigest() {
  const hash = createHash('sha256')
  let bytes = 0
  return {
    add(part: Uint8Array): void {
      hash.update(part)
      bytes += part.length
    },
    end: () => ({ bytes, sha256: hash.digest('hex') }),
  }
}
