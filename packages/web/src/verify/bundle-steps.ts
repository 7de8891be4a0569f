import {
  BUNDLE_CHECKS,
  type BundleCheck,
  type BundleScore,
  type BundleVerification,
  verifyBundle,
} from '@touchstone/protocol/bundle'
import { describeLogged, type TlogPolicy } from '@touchstone/protocol/log'
import { BUNDLE_CLAIMS } from './expected-steps.ts'
import { linesOf } from './lines.ts'
import { createStep, type Key, type Progress, type Verification } from './verification.ts'

/** Progress is reported once per this many lines. */
const PROGRESS_EVERY = 25

export async function verifyBundleFile(
  evidence: Blob,
  { keys, policy }: { keys: readonly Key[]; policy: TlogPolicy | undefined },
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
  return toVerification(await verifyBundle(countLines(), keys, policy), read)
}

/** Used for progress only; the `lines` check reports a malformed header. */
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
      ['Agent', found.agentId ?? 'Not stated'],
      ['Published', formatScore(published)],
      ['Recomputed here', formatScore(recomputed)],
    ],
  }
}

/** The verifier reports a limited number of faults, so a failed check may have none listed. */
function faultsOf({ checks, faults, faultCount }: BundleVerification, check: BundleCheck) {
  const messages = faults
    .filter((fault) => fault.check === check)
    .map(({ line, place, message }) => `line ${line}, ${place}: ${message}`)
  if (checks[check] !== 'failed' || messages.length > 0) return messages
  return [
    `among the ${faultCount - faults.length} faults not listed (only the first ${faults.length} are)`,
  ]
}

function detailOf(check: BundleCheck, found: BundleVerification, lines: number): string {
  const { recomputed } = found
  switch (check) {
    case 'lines':
      return `${lines.toLocaleString('en')} lines`
    case 'chain':
      return `${(recomputed?.checkpointCount ?? 0).toLocaleString('en')} scored checkpoints`
    case 'certificate':
      return found.log?.valid === true ? describeLogged(found.log) : ''
    case 'score':
      return `recomputed ${formatScore(recomputed)}`
    default:
      return ''
  }
}

function formatScore(score: BundleScore | null): string {
  if (score === null) return 'None'
  return `${score.score ?? 'no score'}, ${score.grade}`
}
