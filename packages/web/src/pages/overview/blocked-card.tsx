import { Link } from '@tanstack/react-router'
import { escapeInvisible } from '@touchstone/protocol/base'
import { useState } from 'react'
import type { TimeRange } from '../../range/time-range.ts'
import { Card } from '../../ui/card.tsx'
import { RankedList } from '../../ui/chart/ranked-list.tsx'
import { Segments } from '../../ui/segments.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { BLOCKED_MAX, useBlocked } from './period-queries.ts'
import { countRules, topOf } from './top-counts.ts'

const RANKINGS = [
  { value: 'rules', label: 'Rules' },
  { value: 'tools', label: 'Tools' },
] as const

type Ranking = (typeof RANKINGS)[number]['value']

/** The rules and the tools with the most blocked calls. */
export function BlockedCard({ orgId, range }: { orgId: string; range: TimeRange }) {
  const blocked = useBlocked(orgId, range)
  const [ranking, setRanking] = useState<Ranking>('rules')
  return (
    <Card
      title="Most blocked"
      actions={
        <Segments label="Ranking" value={ranking} options={RANKINGS} onChange={setRanking} />
      }
    >
      <Loaded query={blocked} lines={5}>
        {({ tools, decisions, next_cursor: next }) => {
          if (decisions.length === 0)
            return <Empty title="Nothing was blocked in this time range" />
          if (ranking === 'tools') return <Tools orgId={orgId} counts={tools} />
          const rules = topOf(countRules(decisions))
          return (
            <div className="grid gap-3">
              <RankedList
                tone="bad"
                items={rules.map(({ key, count }) => ({ key, label: key, count }))}
              />
              {next === null ? null : (
                <p className="text-xs text-ink-faint">
                  Based on the newest {BLOCKED_MAX} blocked calls of this time range
                </p>
              )}
            </div>
          )
        }}
      </Loaded>
    </Card>
  )
}

function Tools({ orgId, counts }: { orgId: string; counts: Readonly<Record<string, number>> }) {
  return (
    <RankedList
      tone="bad"
      items={topOf(counts).map(({ key, count }) => ({
        key,
        label: (
          <Link
            to="/o/$orgId/decisions"
            params={{ orgId }}
            search={{ decision: ['block'], tool: key }}
            className="font-mono text-[0.8125rem] break-all hover:underline"
          >
            {escapeInvisible(key)}
          </Link>
        ),
        count,
      }))}
    />
  )
}
