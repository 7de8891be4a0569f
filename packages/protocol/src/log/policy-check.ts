import { type LogCheckpoint, parseLogCheckpoint, verifyLogCheckpoint } from './log-checkpoint.ts'
import type { Parsed } from './parsed.ts'
import type { VerifiedSignature } from './signed-note.ts'
import { hasQuorum, type TlogPolicy } from './tlog-policy.ts'

export type TrustedCheckpoint = LogCheckpoint & {
  /** The signatures of the log and of known witnesses. */
  verified: VerifiedSignature[]
}

/** Reads a checkpoint and requires the signature of a listed log and the quorum of witnesses. */
export function verifyByPolicy(text: string, policy: TlogPolicy): Parsed<TrustedCheckpoint> {
  const signed = verifySignatures(text, policy)
  if (!signed.ok) return signed
  const cosigned = signed.value.verified.map(({ key }) => key)
  if (!hasQuorum(policy, cosigned)) {
    return { ok: false, reason: `the cosignatures do not reach the quorum ${policy.quorum}` }
  }
  return signed
}

/** The same without the quorum: a checkpoint that the log has signed, whoever witnessed it. */
export function verifySignatures(text: string, policy: TlogPolicy): Parsed<TrustedCheckpoint> {
  const parsed = parseLogCheckpoint(text)
  if (!parsed.ok) return parsed
  const verified = verifyLogCheckpoint(parsed.value, {
    logKeys: policy.logs.map(({ key }) => key),
    witnessKeys: policy.witnesses.map(({ key }) => key),
  })
  if (!verified.ok) return { ok: false, reason: `checkpoint: ${verified.reason}` }
  return { ok: true, value: { ...parsed.value, verified: verified.value } }
}
