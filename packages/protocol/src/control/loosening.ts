import { canonicalJson } from '../base/canonical-json.ts'
import { isJsonObject } from '../base/shape.ts'

/** How soon after a violation a loosened card is reported with it (spec: provenance §8). */
export const LOOSENING_WINDOW_MS = 24 * 3_600_000

/** Whether an amendment allows anything that the card did not allow before. */
export function loosens(field: string, previous: unknown, next: unknown): boolean {
  switch (field) {
    case 'autonomy_envelope.forbidden_actions':
    case 'values.conflicts_with':
    case 'conscience_values':
      return hasEntryBeyond(previous, next)
    case 'autonomy_envelope.bounded_actions':
      return hasEntryBeyond(next, previous)
    case 'autonomy_envelope.escalation_triggers':
      return listOf(previous).some((trigger) => isWeakened(trigger, listOf(next)))
    case 'autonomy_envelope.max_autonomous_value':
      return isRaised(previous, next)
    default:
      return false
  }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function hasEntryBeyond(entries: unknown, others: unknown): boolean {
  const known = new Set(listOf(others).map((one) => canonicalJson(one)))
  return listOf(entries).some((one) => !known.has(canonicalJson(one)))
}

/** A trigger is as strict as before if one with its condition asks for as much. */
function isWeakened(trigger: unknown, next: readonly unknown[]): boolean {
  if (!isJsonObject(trigger) || trigger['action'] === 'log') return false
  const { condition, action } = trigger
  return !next.some(
    (one) =>
      isJsonObject(one) &&
      one['condition'] === condition &&
      strictness(one['action']) >= strictness(action),
  )
}

const BY_STRICTNESS: readonly unknown[] = ['log', 'escalate', 'deny']

function strictness(action: unknown): number {
  return BY_STRICTNESS.indexOf(action)
}

/** An amount in another currency cannot be compared, so it counts as higher. */
function isRaised(previous: unknown, next: unknown): boolean {
  if (!isJsonObject(previous)) return false
  if (!isJsonObject(next)) return true
  const [before, after] = [previous['amount'], next['amount']]
  if (previous['currency'] !== next['currency']) return true
  return typeof before !== 'number' || typeof after !== 'number' || after > before
}
