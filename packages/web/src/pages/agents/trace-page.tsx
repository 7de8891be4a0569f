import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { TextWithCodes } from '../../names/text-with-codes.tsx'
import { forOrg } from '../../session/for-org.ts'
import { api } from '../../session/session.ts'
import { Card } from '../../ui/card.tsx'
import { CodeBlock } from '../../ui/copy.tsx'
import { Facts, Id } from '../../ui/facts.tsx'
import { Severity, sentenceCase } from '../../ui/marks.tsx'
import { Loaded } from '../../ui/states.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { formatDate } from '../../ui/time.tsx'
import { DecisionLink } from '../decisions/decision-link.tsx'
import { ProvenanceNote } from './provenance.tsx'
import type { Trace } from './queries.ts'
import { CardCheck, PolicyCheck, RefusalMark } from './trace-marks.tsx'

const FROM = '/o/$orgId/agents/$agentId/traces/$traceId'

export function TracePage() {
  const { orgId, agentId, traceId } = useParams({ from: FROM })
  const trace = useQuery({
    queryKey: ['trace', traceId],
    queryFn: () =>
      api.request('GET', '/v1/traces/{trace_id}', {
        params: { trace_id: traceId },
        ...forOrg(orgId),
      }),
  })
  return (
    <div className="grid gap-6">
      <TextLink
        to="/o/$orgId/agents/$agentId/traces"
        params={{ orgId, agentId }}
        className="justify-self-start text-sm"
      >
        All traces
      </TextLink>
      <Loaded query={trace} lines={5}>
        {(found) => (
          <div className="grid gap-6 lg:grid-cols-2">
            <ActionCard trace={found} />
            <div className="grid content-start gap-6">
              <EvaluationCard trace={found} />
              <CodeBlock label="Trace (JSON)" code={JSON.stringify(found, null, 2)} />
            </div>
          </div>
        )}
      </Loaded>
    </div>
  )
}

function ActionCard({ trace }: { trace: Trace }) {
  const { action, decision } = trace
  return (
    <Card title="Action" className="self-start">
      <Facts
        facts={[
          {
            label: 'Action',
            value: (
              <span className="flex flex-wrap items-center gap-2">
                <Id>{action.name}</Id>
                <RefusalMark trace={trace} />
              </span>
            ),
          },
          {
            label: 'Type',
            value: `${sentenceCase(action.type)}, ${sentenceCase(action.category).toLowerCase()}`,
          },
          { label: 'Time', value: formatDate(trace.timestamp) },
          { label: 'Received', value: formatDate(trace.received_at) },
          { label: 'Provenance', value: <ProvenanceNote provenance={trace.provenance} /> },
          { label: 'Decision', value: <DecisionLink decisionId={trace.decision_id} /> },
          { label: 'Selected', value: decision.selected },
          { label: 'Reasoning', value: decision.selection_reasoning },
          { label: 'Values applied', value: decision.values_applied.join(', ') || 'None' },
          {
            label: 'Alternatives',
            value:
              decision.alternatives_considered?.map((other) => other.description).join('; ') ||
              'None considered',
          },
          { label: 'Tools', value: trace.tools.join(', ') || 'None' },
          { label: 'Session', value: <Id>{trace.context.session_id}</Id> },
        ]}
      />
    </Card>
  )
}

function EvaluationCard({ trace }: { trace: Trace }) {
  const { verification } = trace
  return (
    <Card title="Evaluation">
      <div className="grid gap-3 text-sm">
        <p className="flex flex-wrap items-center gap-2">
          Card check: <CardCheck trace={trace} />
        </p>
        {verification.violation_details.map((detail) => (
          <p key={detail.type + detail.trace_field} className="flex flex-wrap gap-2">
            <Severity severity={detail.severity} />{' '}
            <TextWithCodes>{detail.description}</TextWithCodes>
          </p>
        ))}
        {verification.warnings.map((warning) => (
          <p key={warning.type + warning.trace_field} className="text-ink-soft">
            <TextWithCodes>{warning.description}</TextWithCodes>
          </p>
        ))}
        <p className="flex flex-wrap items-center gap-2">
          Policy check: <PolicyCheck trace={trace} none="No policy" />
        </p>
      </div>
    </Card>
  )
}
