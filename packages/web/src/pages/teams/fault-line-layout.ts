import type { FaultLine } from './queries.ts'

export type Relation = 'declares' | 'opposes' | 'lacks'

/** The row is counted from the top of the column; the shorter column is centred, so it may be a half. */
type Placed = { id: string; row: number }
type Related = { agent: string; value: string; relation: Relation }

export type FaultLineLayout = {
  agents: Placed[]
  values: Placed[]
  relations: Related[]
  rows: number
}

/** Each pass moves a column nearer to what it is related to; more passes change little. */
const PASSES = 4

/** Lays out agents and values in two columns with few crossings: each near the middle of its relations. */
export function layoutFaultLines(lines: readonly FaultLine[]): FaultLineLayout {
  const relations = lines.flatMap(relationsOf)
  let agents = [...new Set(relations.map(({ agent }) => agent))]
  let values = lines.map(({ value }) => value)
  for (let pass = 0; pass < PASSES; pass += 1) {
    agents = nearTo(values, agents, relatedIds(relations, 'agent', 'value'))
    values = nearTo(agents, values, relatedIds(relations, 'value', 'agent'))
  }
  const rows = Math.max(agents.length, values.length)
  const placed = (ids: readonly string[]) =>
    ids.map((id, place): Placed => ({ id, row: place + (rows - ids.length) / 2 }))
  return { agents: placed(agents), values: placed(values), relations, rows }
}

type End = 'agent' | 'value'

function relatedIds(relations: readonly Related[], of: End, to: End): Map<string, string[]> {
  const related = new Map<string, string[]>()
  for (const relation of relations) {
    related.set(relation[of], [...(related.get(relation[of]) ?? []), relation[to]])
  }
  return related
}

/** Sorts ids by the mean place of what they are related to in the other column. */
function nearTo(
  column: readonly string[],
  ids: readonly string[],
  related: ReadonlyMap<string, string[]>,
): string[] {
  const places = new Map(column.map((id, place) => [id, place]))
  const meanOf = (id: string) => {
    const others = related.get(id) ?? []
    return others.reduce((sum, other) => sum + (places.get(other) ?? 0), 0) / (others.length || 1)
  }
  return ids
    .map((id) => ({ id, mean: meanOf(id) }))
    .sort((one, other) => one.mean - other.mean)
    .map(({ id }) => id)
}

function relationsOf(line: FaultLine): Related[] {
  const opposing = new Set(line.agents_conflicting)
  const related = (relation: Relation, ids: readonly string[]) =>
    ids.map((agent): Related => ({ agent, value: line.value, relation }))
  return [
    ...related('declares', line.agents_declaring),
    ...related('opposes', line.agents_conflicting),
    // An agent that opposes a value is also listed as missing it; draw only the opposition.
    ...related(
      'lacks',
      line.agents_missing.filter((id) => !opposing.has(id)),
    ),
  ]
}
