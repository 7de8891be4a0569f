import { escapeInvisible } from '@touchstone/protocol/base'
import type { ReviewedEscalation } from './queries.ts'

type Given = Pick<
  ReviewedEscalation,
  'arguments' | 'arguments_hash' | 'arguments_stored' | 'status' | 'resolved_at' | 'expires_at'
>

export type ShownArguments =
  | {
      kind: 'shown'
      /** As JSON. */
      text: string
      /** Undefined if only the beginning of the text is stored. */
      value: Readonly<Record<string, unknown>> | undefined
    }
  /** There is nothing to show, for this reason. */
  | { kind: 'none' | 'not_stored' | 'deleted' | 'hidden' }

const KEPT_MS = 24 * 60 * 60 * 1000

/**
 * The arguments as text, or why there is none. They are untrusted, so the page renders text only, and
 * nothing of it is invisible.
 */
export function shownArguments(escalation: Given, now: Date): ShownArguments {
  const { arguments: args } = escalation
  if (escalation.arguments_hash === null) return { kind: 'none' }
  if (args !== null) {
    const isCut = typeof args === 'string'
    const text = isCut ? args : JSON.stringify(args, null, 2)
    return { kind: 'shown', text: escapeInvisible(text), value: isCut ? undefined : args }
  }
  if (escalation.arguments_stored) return { kind: 'hidden' }
  return { kind: isLongOver(escalation, now) ? 'deleted' : 'not_stored' }
}

/** Arguments are deleted 24 hours after the end. */
function isLongOver({ status, resolved_at: resolvedAt, expires_at: expiresAt }: Given, now: Date) {
  const endedAt = Date.parse(resolvedAt ?? expiresAt)
  return status !== 'pending' && now.getTime() >= endedAt + KEPT_MS
}
