import { useState } from 'react'
import { useAction } from '../../session/use-action.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Pill } from '../../ui/pill.tsx'
import { saveFile } from '../../ui/save-file.ts'
import { Empty, Loaded } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { Ago, formatDay } from '../../ui/time.tsx'
import { fetchPack, isInProgress, type Pack, usePacks } from './queries.ts'
import { RequestPackDialog } from './request-pack-dialog.tsx'

/** The evidence packs of the organisation, and a button to request one. */
export function PacksCard({ orgId }: { orgId: string }) {
  const packs = usePacks(orgId)
  const [isAsking, setIsAsking] = useState(false)
  const isBusy = packs.data?.some(isInProgress) === true
  return (
    <Card
      title="Evidence packs"
      note="The records of a period for an auditor, with proofs that none is missing"
      padded={false}
      actions={
        <Button tone="primary" disabled={isBusy} onClick={() => setIsAsking(true)}>
          Create pack
        </Button>
      }
    >
      <Loaded query={packs}>
        {(found) =>
          found.length === 0 ? (
            <Empty title="No packs yet">
              A pack is one file. An auditor verifies it with nothing but Node, without an account:{' '}
              <TextLink to="/docs/$" params={{ _splat: 'guide/evidence-pack' }}>
                hand a pack to an auditor
              </TextLink>
              .
            </Empty>
          ) : (
            <Table
              caption="Evidence packs, newest first"
              columns={columnsFor(orgId)}
              rows={found}
              keyOf={(pack) => pack.pack_id}
            />
          )
        }
      </Loaded>
      <RequestPackDialog orgId={orgId} open={isAsking} onClose={() => setIsAsking(false)} />
    </Card>
  )
}

const DAY_MS = 86_400_000

/** The end is exclusive, so that the last day is the one before. */
function periodText({ from, to }: Pack): string {
  const last = new Date(Date.parse(to) - 1).toISOString()
  const isOneDay = Date.parse(to) - Date.parse(from) <= DAY_MS
  return isOneDay ? formatDay(from) : `${formatDay(from)} – ${formatDay(last)}`
}

function StatusPill({ pack }: { pack: Pack }) {
  switch (pack.status) {
    case 'ready':
      return <Pill tone="good">Ready</Pill>
    case 'failed':
      return (
        <Pill tone="bad" title={pack.error ?? ''}>
          Failed
        </Pill>
      )
    case 'queued':
      return <Pill>Queued</Pill>
    default:
      return <Pill tone="info">{`Building, ${pack.progress} %`}</Pill>
  }
}

function sizeText({ bytes }: Pack): string {
  return bytes === null ? '—' : `${Math.ceil(bytes / 1024).toLocaleString('en')} KB`
}

function columnsFor(orgId: string): Column<Pack>[] {
  return [
    { key: 'period', label: 'Period (UTC)', cell: periodText },
    { key: 'status', label: 'Status', cell: (pack) => <StatusPill pack={pack} /> },
    { key: 'created', label: 'Created', cell: (pack) => <Ago at={pack.created_at} /> },
    { key: 'expires', label: 'Deleted', cell: (pack) => <Ago at={pack.expires_at} /> },
    { key: 'size', label: 'Size', align: 'right', cell: sizeText },
    {
      key: 'download',
      label: 'Download',
      align: 'right',
      cell: (pack) => (pack.status === 'ready' ? <Download orgId={orgId} pack={pack} /> : '—'),
    },
  ]
}

function Download({ orgId, pack }: { orgId: string; pack: Pack }) {
  const download = useAction({
    run: async () => saveFile(await fetchPack(orgId, pack.pack_id), `evidence-${pack.pack_id}.zip`),
    refresh: [],
  })
  return (
    <Button
      busy={download.isPending}
      aria-label={`Download the pack of ${periodText(pack)}`}
      onClick={() => download.mutate()}
    >
      Download
    </Button>
  )
}
