import { AgentLinks, useAgentNamesIn } from '../../names/agent-link.tsx'
import { TextWithCodes } from '../../names/text-with-codes.tsx'
import { forOrg } from '../../session/for-org.ts'
import { api } from '../../session/session.ts'
import { useAction } from '../../session/use-action.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { LEVEL_TONES } from '../../ui/level.ts'
import { sentenceCase } from '../../ui/marks.tsx'
import { Pill } from '../../ui/pill.tsx'
import { Empty } from '../../ui/states.tsx'
import { Ago } from '../../ui/time.tsx'
import { FaultLineGraph } from './fault-line-graph.tsx'
import { type FaultLine, type FaultLines, type Team, teamKey } from './queries.ts'

type FaultLinesCardProps = {
  orgId: string
  team: Team
  names: ReadonlyMap<string, string>
  latest: FaultLines | null
}

/** The values on which members diverge, as a graph and as a list. */
export function FaultLinesCard({ orgId, team, names, latest }: FaultLinesCardProps) {
  const analyse = useAction({
    run: () =>
      api.request('POST', '/v1/teams/fault-lines', {
        ...forOrg(orgId),
        body: { team_id: team.id },
      }),
    refresh: [teamKey(team.id)],
  })
  return (
    <Card
      title="Fault lines"
      note={
        latest === null ? undefined : (
          <>
            Analysed <Ago at={latest.created_at} />
          </>
        )
      }
      padded={false}
      actions={
        team.status === 'archived' ? undefined : (
          <Button busy={analyse.isPending} onClick={() => analyse.mutate()}>
            {latest === null ? 'Analyse fault lines' : 'Analyse again'}
          </Button>
        )
      }
    >
      {latest === null ? (
        <Empty title="Not yet analysed">
          The analysis compares which values the members’ cards declare, omit and oppose.
        </Empty>
      ) : (
        <Analysis analysis={latest} names={names} />
      )}
    </Card>
  )
}

function Analysis(props: { analysis: FaultLines; names: ReadonlyMap<string, string> }) {
  const { analysis, names } = props
  if (analysis.fault_lines.length === 0) {
    return <Empty title="No fault lines">The members’ values are compatible.</Empty>
  }
  return (
    <>
      <FaultLineGraph analysis={analysis} names={names} />
      <ul className="border-t border-line">
        {analysis.fault_lines.map((line) => (
          <FaultLineRow key={line.id} line={line} />
        ))}
      </ul>
    </>
  )
}

function FaultLineRow({ line }: { line: FaultLine }) {
  // An agent that opposes a value is also listed as missing it; show it as opposing only.
  const nameIn = useAgentNamesIn()
  const agentIds = [...line.agents_declaring, ...line.agents_missing, ...line.agents_conflicting]
  const silent = line.agents_missing.filter((id) => !line.agents_conflicting.includes(id))
  return (
    <li className="grid gap-1 border-b border-line px-5 py-3 text-sm last:border-0">
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="font-mono font-medium">{line.value}</span>
        <Pill tone={LEVEL_TONES[line.severity]}>{sentenceCase(line.severity)}</Pill>
        <span className="text-ink-faint">{sentenceCase(line.classification)}</span>
      </p>
      <p className="text-ink-soft">
        Declared by <AgentLinks agentIds={line.agents_declaring} />
        {line.agents_conflicting.length === 0 ? null : (
          <>
            ;{' '}
            <span className="text-bad">
              opposed by <AgentLinks agentIds={line.agents_conflicting} />
            </span>
          </>
        )}
        {silent.length === 0 ? null : (
          <>
            ; not mentioned by <AgentLinks agentIds={silent} />
          </>
        )}
        .
      </p>
      <p>
        <TextWithCodes>{nameIn(line.resolution_hint, agentIds)}</TextWithCodes>
      </p>
    </li>
  )
}
