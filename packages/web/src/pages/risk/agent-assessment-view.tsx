import { AgentLink } from '../../names/agent-link.tsx'
import { Bar } from '../../ui/bar.tsx'
import { Card } from '../../ui/card.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Ago } from '../../ui/time.tsx'
import { CircuitBreakers } from './circuit-breakers.tsx'
import type { Assessment } from './queries.ts'
import { ReceiptCard } from './receipt-card.tsx'
import { ACTION_TYPES, labelOf, TOLERANCES } from './risk-options.ts'
import { RiskScale } from './risk-scale.tsx'
import { riskSummary } from './risk-words.ts'

type AgentAssessmentViewProps = { orgId: string; assessment: Assessment }

export function AgentAssessmentView({ orgId, assessment }: AgentAssessmentViewProps) {
  return (
    <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_22rem]">
      <div className="grid min-w-0 gap-6">
        <Card>
          <RiskScale
            score={assessment.risk_score}
            level={assessment.risk_level}
            advice={assessment.recommendation}
            thresholds={assessment.suggested_thresholds}
            tolerance={labelOf(TOLERANCES, assessment.context.risk_tolerance)}
          >
            <p className="text-sm">{riskSummary(assessment)}</p>
            <CircuitBreakers breakers={assessment.circuit_breakers} />
          </RiskScale>
        </Card>
        <FactorsCard assessment={assessment} />
      </div>
      <div className="grid min-w-0 gap-6">
        <ReceiptCard orgId={orgId} assessment={assessment} />
        <ContextCard assessment={assessment} />
      </div>
    </div>
  )
}

/** The components of the risk score by contribution, largest first. */
function FactorsCard({ assessment }: { assessment: Assessment }) {
  const factors = [...assessment.contributing_factors].sort(
    (a, b) => b.risk_contribution - a.risk_contribution,
  )
  const largest = Math.max(...factors.map((factor) => factor.risk_contribution), 0.0001)
  const { breakdown } = assessment
  return (
    <Card title="Contributing factors" note="Largest first">
      <ul className="grid gap-4">
        {factors.map((factor) => (
          <li key={factor.component} className="grid gap-1 text-sm">
            <span className="flex justify-between gap-3">
              <span>
                {factor.label}{' '}
                <span className="text-ink-faint tabular">
                  {factor.raw_value} of 1000, weight {Math.round(factor.weight * 100)}%
                </span>
              </span>
              <span className="tabular">{factor.risk_contribution.toFixed(4)}</span>
            </span>
            <Bar share={factor.risk_contribution / largest} />
            <span className="text-xs text-ink-soft">{factor.explanation}</span>
          </li>
        ))}
      </ul>
      <dl className="mt-5 grid grid-cols-2 gap-x-6 gap-y-2 border-t border-line pt-4 text-sm sm:grid-cols-3">
        {PARTS.map(([key, label]) => (
          <div key={key} className="flex justify-between gap-3 sm:grid sm:gap-0">
            <dt className="text-ink-faint">{label}</dt>
            <dd className="tabular">{breakdown[key].toFixed(4)}</dd>
          </div>
        ))}
      </dl>
    </Card>
  )
}

const PARTS: readonly (readonly [keyof Assessment['breakdown'], string])[] = [
  ['context', 'Context'],
  ['recency', 'Recent violations'],
  ['confidence_penalty', 'Confidence penalty'],
  ['base', 'Base'],
  ['amount_surcharge', 'Amount surcharge'],
  ['counterparty_surcharge', 'Counterparty surcharge'],
]

function ContextCard({ assessment }: { assessment: Assessment }) {
  const { context } = assessment
  return (
    <Card title="Request">
      <Facts
        facts={[
          {
            label: 'Agent',
            value: <AgentLink agentId={assessment.agent_id} />,
          },
          { label: 'Action', value: labelOf(ACTION_TYPES, context.action_type) },
          ...(context.amount === undefined
            ? []
            : [{ label: 'Amount', value: String(context.amount) }]),
          ...(context.counterparty_id === undefined
            ? []
            : [{ label: 'Counterparty', value: context.counterparty_id }]),
          ...(context.use_case === undefined
            ? []
            : [{ label: 'Use case', value: context.use_case }]),
          { label: 'Risk tolerance', value: labelOf(TOLERANCES, context.risk_tolerance) },
          { label: 'Confidence', value: `${Math.round(assessment.confidence * 100)}%` },
          { label: 'Time', value: <Ago at={assessment.created_at} /> },
        ]}
      />
    </Card>
  )
}
