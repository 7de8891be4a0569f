import { classNames } from '../../ui/class-names.ts'
import { useWidth } from '../../ui/use-width.ts'
import { layoutFaultLines, type Relation } from './fault-line-layout.ts'
import type { FaultLines } from './queries.ts'

type GraphProps = { analysis: FaultLines; names: ReadonlyMap<string, string> }

const NODE_HEIGHT = 36
const NODE_WIDTH_MAX = 220
const ROW_HEIGHT = NODE_HEIGHT + 14
/** Between the columns; narrower on a phone. */
const GAP_MAX = 180
const GAP_SHARE = 0.2

const STROKES: Record<Relation, { stroke: string; strokeWidth: number; strokeDasharray?: string }> =
  {
    declares: { stroke: 'var(--good)', strokeWidth: 1.5 },
    opposes: { stroke: 'var(--bad)', strokeWidth: 2.5 },
    lacks: { stroke: 'var(--line-strong)', strokeWidth: 1.5, strokeDasharray: '3 4' },
  }

/** Members on the left, the values they disagree about on the right. */
export function FaultLineGraph({ analysis, names }: GraphProps) {
  const [element, width] = useWidth<HTMLDivElement>()
  const { agents, values, relations, rows } = layoutFaultLines(analysis.fault_lines)
  const gap = Math.min(GAP_MAX, width * GAP_SHARE)
  const nodeWidth = Math.min(NODE_WIDTH_MAX, Math.max(0, (width - gap) / 2))
  const height = rows * ROW_HEIGHT
  const topOf = (row: number) => row * ROW_HEIGHT + (ROW_HEIGHT - NODE_HEIGHT) / 2
  const middles = (placed: typeof agents) =>
    new Map(placed.map(({ id, row }) => [id, topOf(row) + NODE_HEIGHT / 2]))
  const [agentMiddles, valueMiddles] = [middles(agents), middles(values)]
  const [from, until] = [nodeWidth, nodeWidth + gap]
  return (
    <figure className="grid grid-cols-[minmax(0,1fr)] gap-2 px-5 py-4">
      <div ref={element} className="overflow-hidden">
        <svg
          role="img"
          aria-label="Members and the values they disagree about; the list below has the same content"
          width={until + nodeWidth}
          height={height}
          className="block"
        >
          {relations.map(({ agent, value, relation }) => (
            <path
              key={`${agent} ${value}`}
              d={curve(from, agentMiddles.get(agent) ?? 0, until, valueMiddles.get(value) ?? 0)}
              fill="none"
              {...STROKES[relation]}
            />
          ))}
          {agents.map(({ id, row }) => (
            <foreignObject key={id} x={0} y={topOf(row)} width={nodeWidth} height={NODE_HEIGHT}>
              <Node
                label={names.get(id) ?? id}
                className="rounded-md border-line-strong bg-raised"
              />
            </foreignObject>
          ))}
          {values.map(({ id, row }) => (
            <foreignObject key={id} x={until} y={topOf(row)} width={nodeWidth} height={NODE_HEIGHT}>
              <Node
                label={id}
                className="rounded-full border-accent bg-accent-wash font-mono text-accent"
              />
            </foreignObject>
          ))}
        </svg>
      </div>
      <figcaption className="flex flex-wrap gap-x-5 gap-y-1 text-xs text-ink-soft">
        <Legend relation="declares">Declares</Legend>
        <Legend relation="opposes">Opposes</Legend>
        <Legend relation="lacks">Does not mention</Legend>
      </figcaption>
    </figure>
  )
}

function curve(x: number, y: number, toX: number, toY: number): string {
  const middle = (x + toX) / 2
  return `M${x},${y} C${middle},${y} ${middle},${toY} ${toX},${toY}`
}

function Node({ label, className }: { label: string; className: string }) {
  return (
    <div
      title={label}
      className={classNames('flex h-full items-center border px-3 text-sm', className)}
    >
      <span className="truncate">{label}</span>
    </div>
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
