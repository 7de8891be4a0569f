import { canonicalJson, isJsonObject } from '@touchstone/protocol/base'

/** A stored card with its conscience values. */
export type CardVersion = {
  card: Readonly<Record<string, unknown>>
  conscienceValues: readonly unknown[]
}

export type ChangedField = { field: string; previousValue: unknown; newValue: unknown }

/** Rewritten with each version, so a difference in them means nothing. */
const IDENTITY = new Set(['card_id', 'agent_id', 'issued_at'])

const BLOCKS = ['principal', 'values', 'autonomy_envelope', 'audit_commitment', 'extensions']

/**
 * One entry per amendment, in a fixed order; blocks are compared member by member. An unknown
 * top-level member is no amendment (spec: evidence §2.3), but still makes a new version; see
 * `sameCard`.
 */
export function changedFields(before: CardVersion, after: CardVersion): ChangedField[] {
  const changed: ChangedField[] = []
  const compare = (field: string, previousValue: unknown, newValue: unknown) => {
    if (canonicalJson(previousValue) !== canonicalJson(newValue)) {
      changed.push({ field, previousValue, newValue })
    }
  }
  for (const field of ['expires_at', 'aap_version']) {
    compare(field, memberOf(before.card, field), memberOf(after.card, field))
  }
  compare('conscience_values', before.conscienceValues, after.conscienceValues)
  for (const block of BLOCKS) {
    const [previous, next] = [memberOf(before.card, block), memberOf(after.card, block)]
    for (const member of membersOf(previous, next)) {
      compare(`${block}.${member}`, memberOf(previous, member), memberOf(next, member))
    }
  }
  return changed
}

/** Whether storing the second would change nothing observable. */
export function sameCard(before: CardVersion, after: CardVersion): boolean {
  return contentOf(before) === contentOf(after)
}

function contentOf(version: CardVersion): string {
  const members = Object.entries(version.card).filter(([key]) => !IDENTITY.has(key))
  return canonicalJson([Object.fromEntries(members), version.conscienceValues])
}

function membersOf(...blocks: readonly unknown[]): string[] {
  const names = blocks.flatMap((block) => (isJsonObject(block) ? Object.keys(block) : []))
  return [...new Set(names)].sort()
}

/** Null if absent. */
function memberOf(object: unknown, key: string): unknown {
  return isJsonObject(object) && Object.hasOwn(object, key) ? (object[key] ?? null) : null
}
