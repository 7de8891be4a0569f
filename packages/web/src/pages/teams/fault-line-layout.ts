import { Graph, layout } from '@dagrejs/dagre'
import type { FaultLine } from './queries.ts'

export const NODE_WIDTH = 150
export const NODE_HEIGHT = 38

export type Relation = 'declares' | 'opposes' | 'lacks'

type Placed = { id: string; x: number; y: number }
type Related = { agent: string; value: string; relation: Relation }

/** Lays out agents and values in two columns with few edge crossings. */
export function layoutFaultLines(lines: readonly FaultLine[]): {
  agents: Placed[]
  values: Placed[]
  relations: Related[]
} {
  const relations = lines.flatMap(relationsOf)
  const agents = [...new Set(relations.map(({ agent }) => agent))]
  const graph = new Graph()
  graph.setGraph({ rankdir: 'LR', nodesep: 14, ranksep: 110 })
  graph.setDefaultEdgeLabel(() => ({}))
  const size = { width: NODE_WIDTH, height: NODE_HEIGHT }
  for (const agent of agents) graph.setNode(`agent ${agent}`, { ...size })
  for (const { value } of lines) graph.setNode(`value ${value}`, { ...size })
  for (const { agent, value } of relations) graph.setEdge(`agent ${agent}`, `value ${value}`)
  layout(graph)
  const placed = (kind: string, id: string): Placed => {
    const { x, y } = graph.node(`${kind} ${id}`)
    return { id, x: (x ?? 0) - NODE_WIDTH / 2, y: (y ?? 0) - NODE_HEIGHT / 2 }
  }
  return {
    agents: agents.map((id) => placed('agent', id)),
    values: lines.map(({ value }) => placed('value', value)),
    relations,
  }
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
