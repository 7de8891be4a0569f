import {
  BUNDLE_CHECKS,
  type BundleCheck,
  type BundleScore,
  type BundleVerification,
  verifyBundle,
} from '@touchstone/protocol/bundle'
import { BUNDLE_CLAIMS } from './expected-steps.ts'
import { linesOf } from './lines.ts'
import { createStep, type Key, type Progress, type Verification } from './verification.ts'

/** How often progress is messages, in lines. */
const PROGRESS_EVERY = 25

export async function verifyBundleFile(
  evidence: Blob,
  keys: readonly Key[],
  onProgress: (progress: Progress) => void,
): Promise<Verification> {
  let read = 0
  let total = 0
  async function* countLines() {
    for await (const line of linesOf(evidence)) {
      if (line === '') continue
      if (read === 0) total = chainLengthOf(line)
      read += 1
      if (read % PROGRESS_EVERY === 0) onProgress({ done: Math.min(read, total), total })
      yield line
    }
  }
  return toVerification(await verifyBundle(countLines(), keys), read)
}

/** Only for the progress: what is wrong with the line, its check says. */
function chainLengthOf(line: string): number {
  const match = /"chain_length":(\d{1,9})/.exec(line)
  return match === null ? 0 : Number(match[1])
}

function toVerification(found: BundleVerification, lines: number): Verification {
  const steps = BUNDLE_CHECKS.map((key) =>
    createStep({
      key,
      claim: BUNDLE_CLAIMS[key],
      faults: faultsOf(found, key),
      reached: found.checks[key] !== 'not_reached',
      detail: detailOf(key, found, lines),
    }),
  )
  const { published, recomputed } = found
  return {
    kind: 'bundle',
    ok: found.ok,
    steps,
    facts: [
      ['Agent', found.agentId ?? 'not stated'],
      ['Published', formatScore(published)],
      ['Recomputed here', formatScore(recomputed)],
    ],
  }
}

/** A check may have failed by faults that are too many to be messages. */
function faultsOf({ checks, faults, faultCount }: BundleVerification, check: BundleCheck) {
  const messages = faults
    .filter((fault) => fault.check === check)
    .map(({ line, place, message }) => `line ${line}, ${place}: ${message}`)
  if (checks[check] !== 'failed' || messages.length > 0) return messages
  return [`one of the ${faultCount - faults.length} faults beyond the first ${faults.length}`]
}

function detailOf(check: BundleCheck, found: BundleVerification, lines: number): string {
  const { recomputed } = found
  switch (check) {
    case 'lines':
      return `${lines.toLocaleString('en')} lines`
    case 'chain':
      return `${(recomputed?.checkpointCount ?? 0).toLocaleString('en')} checkpoints count`
    case 'score':
      return `recomputed ${formatScore(recomputed)}`
    default:
      return ''
  }
}

function formatScore(score: BundleScore | null): string {
  if (score === null) return 'nothing'
  return `${score.score ?? 'no score'}, ${score.grade}`
}
