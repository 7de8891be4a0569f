import { useRole } from '../../session/use-can-edit.ts'
import { useOrgId } from '../../session/use-org-id.ts'
import { Card } from '../../ui/card.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Page } from '../../ui/page.tsx'
import { Pill, type Tone } from '../../ui/pill.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { Ago } from '../../ui/time.tsx'
import { PacksCard } from './packs-card.tsx'
import { type LogHealth, useLogHealth, type WitnessHealth } from './queries.ts'

/** The witnessed log: its state, its witnesses, and packs of evidence from it. */
export function LogPage() {
  const orgId = useOrgId()
  const role = useRole()
  const health = useLogHealth()
  return (
    <Page
      title="Log"
      lead="One public log holds an entry for each decision batch, checkpoint, approval, policy version and score. Witnesses confirm that it only grows."
    >
      <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_22rem]">
        <div className="grid min-w-0 gap-6">
          {role === undefined || role === 'member' ? null : <PacksCard orgId={orgId} />}
          <Card
            title="Witnesses"
            note="Independent parties that cosign each checkpoint of the log"
            padded={false}
          >
            <Loaded query={health}>{(log) => <Witnesses log={log} />}</Loaded>
          </Card>
        </div>
        <StateCard />
      </div>
    </Page>
  )
}

const TONES: Record<LogHealth['status'], Tone> = { ok: 'good', degraded: 'warn', down: 'bad' }
const LABELS = { ok: 'OK', degraded: 'Degraded', down: 'Down' } as const

function StateCard() {
  const health = useLogHealth()
  const { data } = health
  return (
    <Card
      title="State"
      actions={
        data === undefined ? undefined : (
          <Pill tone={TONES[data.status]}>{LABELS[data.status]}</Pill>
        )
      }
    >
      <Loaded query={health} lines={4}>
        {(log) => (
          <div className="grid gap-4">
            {log.fault === null ? null : (
              <p role="alert" className="rounded-md bg-bad-wash px-4 py-2.5 text-sm text-bad">
                The log has stopped growing: {log.fault}.
              </p>
            )}
            <Facts
              valuesAtEnd
              facts={[
                { label: 'Entries', value: countText(log.size) },
                { label: 'Published', value: countText(log.published_size) },
                { label: 'Waiting', value: countText(log.pending) },
                { label: 'Last checkpoint', value: <Ago at={log.last_checkpoint_at} /> },
              ]}
            />
            <p className="text-sm text-ink-soft">
              Anybody can{' '}
              <TextLink to="/docs/$" params={{ _splat: 'guide/log' }}>
                follow the log
              </TextLink>
              , and your browser compares it with what it saw before on the{' '}
              <TextLink to="/verify">Verify page</TextLink>.
            </p>
          </div>
        )}
      </Loaded>
    </Card>
  )
}

function countText(count: number | null): string {
  return count === null ? 'Unknown' : count.toLocaleString('en')
}

function Witnesses({ log }: { log: LogHealth }) {
  if (log.witnesses.length === 0) {
    return (
      <Empty title="No witnesses yet">
        Without a witness, this service could show readers different histories. A partner can run
        one in five minutes:{' '}
        <TextLink to="/docs/$" params={{ _splat: 'guide/witness' }}>
          run a witness
        </TextLink>
        .
      </Empty>
    )
  }
  return <Table caption="Witnesses" columns={columnsFor(log)} rows={log.witnesses} keyOf={nameOf} />
}

const nameOf = ({ name }: WitnessHealth) => name

const STATUSES: Record<string, { label: string; tone: Tone; title: string }> = {
  ok: { label: 'Cosigned', tone: 'good', title: 'Cosigned the newest checkpoint it was asked for' },
  never_asked: { label: 'Not asked yet', tone: 'neutral', title: 'No checkpoint was sent to it' },
  conflict: {
    label: 'Conflict (409)',
    tone: 'bad',
    title: 'It has seen a different size of this log',
  },
  unknown_log: { label: 'Unknown log (404)', tone: 'bad', title: 'It does not know this log' },
  rejected: { label: 'Rejected (403)', tone: 'bad', title: 'It does not know the key of this log' },
  invalid_proof: {
    label: 'Invalid proof (422)',
    tone: 'bad',
    title: 'It could not verify that the log only grew',
  },
  invalid_answer: {
    label: 'Invalid answer',
    tone: 'bad',
    title: 'Its answer is not a valid cosignature',
  },
  unreachable: { label: 'Unreachable', tone: 'warn', title: 'It did not answer' },
}

function StatusPill({ status }: { status: string }) {
  const { label, tone, title } = STATUSES[status] ?? { label: status, tone: 'neutral', title: '' }
  return (
    <Pill tone={tone} title={title}>
      {label}
    </Pill>
  )
}

function columnsFor({ size }: LogHealth): Column<WitnessHealth>[] {
  return [
    { key: 'name', label: 'Witness', cell: nameOf },
    { key: 'status', label: 'Status', cell: (row) => <StatusPill status={row.status} /> },
    {
      key: 'size',
      label: 'Entries cosigned',
      align: 'right',
      cell: (row) =>
        size === null || row.size === size
          ? countText(row.size)
          : `${countText(row.size)} of ${countText(size)}`,
    },
    {
      key: 'at',
      label: 'Last cosignature',
      align: 'right',
      cell: (row) => <Ago at={row.cosigned_at} />,
    },
  ]
}
