import { followLog, hasQuorum, type TlogPolicy, verifySignatures } from '@touchstone/protocol/log'
import { type LogClient, LogUnreachable } from './log-client.ts'
import type { SeenLog } from './monitor-state.ts'

/** One look at a log (spec: log §4). */
export type LogCheck =
  | { kind: 'consistent'; seen: SeenLog }
  | { kind: 'unreachable'; reason: string }
  /** `checkpoints` are two signed ones that cannot both be true: the known one, then the new one. */
  | { kind: 'fork'; reason: string; checkpoints: [string, string] }
  | { kind: 'older'; reason: string }
  | { kind: 'invalid'; reason: string }

export type LogCheckOptions = {
  client: LogClient
  policy: TlogPolicy
  seen: SeenLog | undefined
  now: Date
}

export async function checkLog(options: LogCheckOptions): Promise<LogCheck> {
  try {
    return await check(options)
  } catch (err) {
    if (!(err instanceof LogUnreachable)) throw err
    return { kind: 'unreachable', reason: err.message }
  }
}

async function check({ client, policy, seen, now }: LogCheckOptions): Promise<LogCheck> {
  const text = await client.checkpoint()
  const signed = verifySignatures(text, policy)
  if (!signed.ok) return { kind: 'invalid', reason: signed.reason }
  const { origin, verified } = signed.value
  if (seen !== undefined && origin !== seen.origin) {
    return { kind: 'invalid', reason: `the origin was ${seen.origin} and is ${origin}` }
  }
  const followed = await followLog(seen?.tree, signed.value, client)
  // A fork is reported even without a quorum: the log signed both.
  if (followed.kind === 'fork' && seen !== undefined) {
    const { reason } = followed
    return { kind: 'fork', reason, checkpoints: [seen.checkpoint, text] }
  }
  const cosigned = verified.map(({ key }) => key)
  if (!hasQuorum(policy, cosigned)) {
    return { kind: 'invalid', reason: `the quorum ${policy.quorum} is not reached` }
  }
  switch (followed.kind) {
    case 'consistent': {
      const seenAt = now.toISOString()
      return { kind: 'consistent', seen: { origin, checkpoint: text, seenAt, tree: followed.tree } }
    }
    case 'older':
      return { kind: 'older', reason: followed.reason }
    default:
      return { kind: 'invalid', reason: followed.reason }
  }
}
