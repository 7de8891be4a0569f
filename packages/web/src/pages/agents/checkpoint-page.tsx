import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { summaryText } from '../../names/service-text.ts'
import { TextWithCodes } from '../../names/text-with-codes.tsx'
import { forOrg } from '../../session/for-org.ts'
import { api } from '../../session/session.ts'
import { Card } from '../../ui/card.tsx'
import { Facts, Id } from '../../ui/facts.tsx'
import { Severity, sentenceCase } from '../../ui/marks.tsx'
import { Pill } from '../../ui/pill.tsx'
import { Loaded } from '../../ui/states.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { formatDate } from '../../ui/time.tsx'
import { DecisionLink } from '../decisions/decision-link.tsx'
import { CertificateCard } from './certificate-card.tsx'
import { CheckpointMarks } from './checkpoint-marks.tsx'
import { FlagList } from './flag-list.tsx'
import { ProvenanceNote } from './provenance.tsx'
import type { Checkpoint } from './queries.ts'
import { useRefusals } from './use-refusals.ts'

const FROM = '/o/$orgId/agents/$agentId/checkpoints/$checkpointId'

export function CheckpointPage() {
  const { orgId, agentId, checkpointId } = useParams({ from: FROM })
  const checkpoint = useQuery({
    queryKey: ['checkpoint', checkpointId],
    queryFn: () =>
      api.request('GET', '/v1/checkpoints/{checkpoint_id}', {
        params: { checkpoint_id: checkpointId },
        ...forOrg(orgId),
      }),
  })
  return (
    <div className="grid gap-6">
      <TextLink
        to="/o/$orgId/agents/$agentId/checkpoints"
        params={{ orgId, agentId }}
        className="justify-self-start text-sm"
      >
        All checkpoints
      </TextLink>
      <Loaded query={checkpoint} lines={5}>
        {(found) => (
          <div className="grid items-start gap-6 lg:grid-cols-2">
            <div className="grid content-start gap-6">
              <AnalysisCard checkpoint={found} />
              <DetailsCard checkpoint={found} />
            </div>
            <CertificateCard checkpointId={checkpointId} />
          </div>
        )}
      </Loaded>
    </div>
  )
}

function AnalysisCard({ checkpoint }: { checkpoint: Checkpoint }) {
  const refusalOf = useRefusals(checkpoint.agent_id, [checkpoint])
  return (
    <Card title="Analysis">
      <div className="grid gap-4">
        <p className="flex flex-wrap gap-1.5">
          <CheckpointMarks
            checkpoint={{ ...checkpoint, reclassification: null }}
            refusal={refusalOf(checkpoint)}
          />
          {checkpoint.violation_type === null ? null : (
            <Pill>{sentenceCase(checkpoint.violation_type)}</Pill>
          )}
          {checkpoint.reclassification === null ? null : (
            <Pill tone="info">Reclassified: {sentenceCase(checkpoint.reclassification)}</Pill>
          )}
          {checkpoint.excluded_from_score ? <Pill>Excluded from score</Pill> : null}
        </p>
        <p>{summaryText(checkpoint.reasoning_summary)}</p>
        {checkpoint.concerns.map((concern) => (
          <div
            key={`${concern.category} ${concern.description}`}
            className="grid gap-1.5 border-l-2 border-line-strong pl-4 text-sm"
          >
            <p className="flex flex-wrap items-center gap-2 font-medium">
              {sentenceCase(concern.category)} <Severity severity={concern.severity} />
            </p>
            <p className="text-ink-soft">
              <TextWithCodes>{concern.description}</TextWithCodes>
            </p>
            {concern.evidence === '' ? null : (
              <blockquote className="font-serif break-words italic">
                “{concern.evidence}”
              </blockquote>
            )}
          </div>
        ))}
      </div>
    </Card>
  )
}

function DecisionLinks({ ids }: { ids: readonly string[] }) {
  if (ids.length === 0) return 'None'
  return ids.map((id) => (
    <span key={id} className="block">
      <DecisionLink decisionId={id} />
    </span>
  ))
}

function DetailsCard({ checkpoint }: { checkpoint: Checkpoint }) {
  const analysis = checkpoint.analysis_metadata
  return (
    <Card title="Details">
      <Facts
        facts={[
          { label: 'Checkpoint', value: <Id>{checkpoint.checkpoint_id}</Id> },
          { label: 'Time', value: formatDate(checkpoint.timestamp) },
          { label: 'Received', value: formatDate(checkpoint.received_at) },
          {
            label: 'Provenance',
            value: <ProvenanceNote provenance={checkpoint.provenance} />,
          },
          { label: 'Decisions', value: <DecisionLinks ids={checkpoint.decision_ids} /> },
          { label: 'Session', value: <Id>{checkpoint.session_id}</Id> },
          { label: 'Model', value: `${checkpoint.provider} / ${checkpoint.model}` },
          { label: 'Card', value: <Id>{checkpoint.card_id}</Id> },
          { label: 'Analysed by', value: `${analysis.analyzer} (${analysis.analysis_model})` },
          {
            label: 'Values checked',
            value: (
              <TextWithCodes>
                {checkpoint.conscience_context.values_checked.join(', ') || 'None'}
              </TextWithCodes>
            ),
          },
          { label: 'Flags', value: <FlagList flags={checkpoint.flags} /> },
        ]}
      />
    </Card>
  )
}
