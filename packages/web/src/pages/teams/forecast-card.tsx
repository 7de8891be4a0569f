import { AgentLinks, useAgentNamesIn } from '../../names/agent-link.tsx'
import { withPlurals } from '../../names/service-text.ts'
import { TextWithCodes } from '../../names/text-with-codes.tsx'
import { forOrg } from '../../session/for-org.ts'
import { api } from '../../session/session.ts'
import { useAction } from '../../session/use-action.ts'
import { Bar } from '../../ui/bar.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { LEVEL_TONES } from '../../ui/level.ts'
import { sentenceCase } from '../../ui/marks.tsx'
import { Pill } from '../../ui/pill.tsx'
import { Empty } from '../../ui/states.tsx'
import { Ago } from '../../ui/time.tsx'
import { ProducedBy } from './produced-by.tsx'
import { type FaultLines, type Forecast, type Team, teamKey } from './queries.ts'

type ForecastCardProps = {
  orgId: string
  team: Team
  found: { faultLines: FaultLines | null; forecast: Forecast | null }
}

/** The team's failure modes, most likely first. */
export function ForecastCard({ orgId, team, found }: ForecastCardProps) {
  const { faultLines, forecast } = found
  const ask = useAction({
    run: (analysisId: string) =>
      api.request('POST', '/v1/teams/forecast', {
        ...forOrg(orgId),
        body: { team_id: team.id, fault_line_analysis_id: analysisId },
      }),
    refresh: [teamKey(team.id)],
  })
  return (
    <Card
      title="Forecast"
      padded={false}
      note={
        forecast === null ? undefined : (
          <>
            <Ago at={forecast.created_at} />, <ProducedBy by={forecast} />
          </>
        )
      }
      actions={
        faultLines === null || team.status === 'archived' ? undefined : (
          <Button busy={ask.isPending} onClick={() => ask.mutate(faultLines.analysis_id)}>
            {forecast === null ? 'Forecast failures' : 'Forecast again'}
          </Button>
        )
      }
    >
      {forecast === null ? (
        <Empty title="No forecast yet">
          {faultLines === null ? 'Analyse the fault lines first.' : undefined}
        </Empty>
      ) : (
        <FailureModes forecast={forecast} />
      )}
    </Card>
  )
}

function FailureModes({ forecast }: { forecast: Forecast }) {
  const nameIn = useAgentNamesIn()
  const modes = [...forecast.failure_modes].sort((a, b) => b.probability - a.probability)
  return (
    <>
      <p className="flex flex-wrap items-center gap-2 px-5 py-3 text-sm">
        Overall risk
        <Pill tone={LEVEL_TONES[forecast.overall_risk_level]}>
          {sentenceCase(forecast.overall_risk_level)}
        </Pill>
        <span className="text-ink-faint tabular">
          {Math.round(forecast.confidence * 100)}% confidence
        </span>
      </p>
      <ul className="border-t border-line">
        {modes.map((mode) => (
          <li
            key={`${mode.mode} ${mode.description}`}
            className="grid gap-x-6 gap-y-1 border-b border-line px-5 py-3 text-sm last:border-0 sm:grid-cols-[minmax(0,1fr)_7rem]"
          >
            <div className="min-w-0">
              <p className="font-medium first-letter:uppercase">{mode.mode.replaceAll('_', ' ')}</p>
              <p className="break-words text-ink-soft">
                <TextWithCodes>
                  {nameIn(withPlurals(mode.description), mode.affected_agents)}
                </TextWithCodes>
              </p>
              <p className="text-xs text-ink-faint">
                <AgentLinks agentIds={mode.affected_agents} />
              </p>
            </div>
            <div className="grid content-start gap-1">
              <span className="flex items-center justify-between gap-2 tabular">
                {Math.round(mode.probability * 100)}%
                <Pill tone={LEVEL_TONES[mode.severity]}>{sentenceCase(mode.severity)}</Pill>
              </span>
              <Bar share={mode.probability} tone={LEVEL_TONES[mode.severity]} />
            </div>
          </li>
        ))}
      </ul>
    </>
  )
}
