import '@xyflow/react/dist/base.css'
import { type Edge, Handle, type Node, type NodeProps, Position, ReactFlow } from '@xyflow/react'
import { useMemo } from 'react'
import { classNames } from '../../ui/class-names.ts'
import { layoutFaultLines, NODE_HEIGHT, NODE_WIDTH, type Relation } from './fault-line-layout.ts'
import type { FaultLines } from './queries.ts'

type GraphProps = { analysis: FaultLines; names: ReadonlyMap<string, string> }

type GraphNode = Node<{ label: string; kind: 'agent' | 'value' }>

const NODE_TYPES = { plain: PlainNode }

const STROKES: Record<Relation, { stroke: string; strokeWidth: number; strokeDasharray?: string }> =
  {
    declares: { stroke: 'var(--good)', strokeWidth: 1.5 },
    opposes: { stroke: 'var(--bad)', strokeWidth: 2.5 },
    lacks: { stroke: 'var(--line-strong)', strokeWidth: 1.5, strokeDasharray: '3 4' },
  }

/** Members on the left, the values they disagree about on the right. */
export function FaultLineGraph({ analysis, names }: GraphProps) {
  const { nodes, edges } = useMemo(() => graphOf(analysis, names), [analysis, names])
  const height = Math.max(...nodes.map((node) => node.position.y)) + NODE_HEIGHT
  return (
    <figure className="grid gap-2 px-5 py-4">
      <div
        role="img"
        aria-label="Members and the values they disagree about; the list below has the same content"
        style={{ height: Math.min(Math.max(height + 24, 180), 520) }}
      >
        <ReactFlow
          nodes={nodes}
          edges={edges}
          nodeTypes={NODE_TYPES}
          fitView
          fitViewOptions={{ padding: 0.02, maxZoom: 1 }}
          minZoom={0.3}
          nodesDraggable={false}
          nodesConnectable={false}
          nodesFocusable={false}
          edgesFocusable={false}
          elementsSelectable={false}
          panOnDrag={false}
          zoomOnScroll={false}
          zoomOnPinch={false}
          zoomOnDoubleClick={false}
          preventScrolling={false}
          proOptions={{ hideAttribution: true }}
        />
      </div>
      <figcaption className="flex flex-wrap gap-x-5 gap-y-1 text-xs text-ink-soft">
        <Legend relation="declares">Declares</Legend>
        <Legend relation="opposes">Opposes</Legend>
        <Legend relation="lacks">Does not mention</Legend>
      </figcaption>
    </figure>
  )
}

function Legend({ relation, children }: { relation: Relation; children: string }) {
  return (
    <span className="inline-flex items-center gap-2">
      <svg aria-hidden="true" viewBox="0 0 24 4" className="h-1 w-6">
        <line x1="0" y1="2" x2="24" y2="2" {...STROKES[relation]} />
      </svg>
      {children}
    </span>
  )
}

function PlainNode({ data }: NodeProps<GraphNode>) {
  const isValue = data.kind === 'value'
  return (
    <div
      style={{ width: NODE_WIDTH, height: NODE_HEIGHT }}
      title={data.label}
      className={classNames(
        'flex items-center border px-3 text-sm',
        isValue
          ? 'rounded-full border-accent bg-accent-wash font-mono text-accent'
          : 'rounded-md border-line-strong bg-raised',
      )}
    >
      <span className="truncate">{data.label}</span>
      <Handle
        type={isValue ? 'target' : 'source'}
        position={isValue ? Position.Left : Position.Right}
        className="invisible"
      />
    </div>
  )
}

function graphOf(
  analysis: FaultLines,
  names: ReadonlyMap<string, string>,
): { nodes: GraphNode[]; edges: Edge[] } {
  const { agents, values, relations } = layoutFaultLines(analysis.fault_lines)
  const nodes = [
    ...agents.map(({ id, ...position }): GraphNode => {
      const data = { label: names.get(id) ?? id, kind: 'agent' as const }
      return { id: `agent ${id}`, type: 'plain', position, data }
    }),
    ...values.map(({ id, ...position }): GraphNode => {
      return { id: `value ${id}`, type: 'plain', position, data: { label: id, kind: 'value' } }
    }),
  ]
  const edges = relations.map(({ agent, value, relation }) => ({
    id: `${agent} ${relation} ${value}`,
    source: `agent ${agent}`,
    target: `value ${value}`,
    style: STROKES[relation],
  }))
  return { nodes, edges }
}
