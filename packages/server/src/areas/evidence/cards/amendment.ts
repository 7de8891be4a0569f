import { canonicalJson, isJsonObject } from '@touchstone/protocol/base'

/** A card as stored, with what stands beside it. */
export type CardVersion = {
  card: Readonly<Record<string, unknown>>
  conscienceValues: readonly unknown[]
}

export type ChangedField = { field: string; previousValue: unknown; newValue: unknown }

/** Written anew with each version, so a difference in them says nothing about the agent. */
const IDENTITY = new Set(['card_id', 'agent_id', 'issued_at'])

const BLOCKS = ['principal', 'values', 'autonomy_envelope', 'audit_commitment', 'extensions']

/**
 * One entry per amendment, blocks member by member, in a fixed order. A top-level member nobody
 * knows is not among them (01 §2.3 names the fields), though it makes a new version; see `sameCard`.
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
    const [old, fresh] = [memberOf(before.card, block), memberOf(after.card, block)]
    for (const member of membersOf(old, fresh)) {
      compare(`${block}.${member}`, memberOf(old, member), memberOf(fresh, member))
    }
  }
  return changed
}

/** Whether storing the second would change nothing that anybody could observe. */
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

/** Absent reads null. */
function memberOf(object: unknown, key: string): unknown {
  return isJsonObject(object) && Object.hasOwn(object, key) ? (object[key] ?? null) : null
}
