import { useState } from 'react'
import { useOrgId } from '../../session/use-org-id.ts'
import { Card } from '../../ui/card.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Page } from '../../ui/page.tsx'
import { Paged } from '../../ui/pager.tsx'
import { Pill, type Tone } from '../../ui/pill.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Ago } from '../../ui/time.tsx'
import { AgentOnChain } from './agent-on-chain.tsx'
import { Hash } from './hash.tsx'
import {
  type Anchor,
  type Publication,
  useChainHealth,
  useChainHistory,
  useContracts,
} from './queries.ts'

export function ChainPage() {
  const orgId = useOrgId()
  return (
    <Page
      title="On-chain"
      lead="Merkle roots of the evidence and published scores on a blockchain, where they cannot be changed. The relayer signs the transactions and pays for them."
    >
      <div className="grid items-start gap-6 lg:grid-cols-[minmax(0,1fr)_22rem]">
        <div className="grid min-w-0 gap-6">
          <Anchors orgId={orgId} />
          <Publications orgId={orgId} />
        </div>
        <div className="grid min-w-0 gap-6">
          <RelayerCard />
          <AgentOnChain orgId={orgId} />
        </div>
      </div>
    </Page>
  )
}

/** Paged separately from the publications, because there are many more anchors. */
function Anchors({ orgId }: { orgId: string }) {
  const [page, setPage] = useState(1)
  const history = useChainHistory(orgId, page)
  return (
    <Card title="Anchors" note="Merkle roots of the agents’ evidence" padded={false}>
      <Loaded query={history}>
        {({ anchors, total_anchors: total, per_page: perPage }) => (
          <Paged
            page={page}
            perPage={perPage}
            total={total}
            onPage={setPage}
            empty={
              <Empty title="No anchors yet">
                Once there are checkpoints, the service anchors one root over all agents’ trees
                every six hours.
              </Empty>
            }
          >
            <Table
              caption="Anchors"
              columns={ANCHOR_COLUMNS}
              rows={anchors}
              keyOf={(row) => row.anchor_id}
            />
          </Paged>
        )}
      </Loaded>
    </Card>
  )
}

function Publications({ orgId }: { orgId: string }) {
  const [page, setPage] = useState(1)
  const history = useChainHistory(orgId, page)
  return (
    <Card title="Publications" note="Scores published to the on-chain registry" padded={false}>
      <Loaded query={history}>
        {({ publications, total_publications: total, per_page: perPage }) => (
          <Paged
            page={page}
            perPage={perPage}
            total={total}
            onPage={setPage}
            empty={
              <Empty title="No publications yet">
                Anyone can read a published score from the chain without this service.
              </Empty>
            }
          >
            <Table
              caption="Publications"
              columns={PUBLICATION_COLUMNS}
              rows={publications}
              keyOf={(row) => row.publication_id}
            />
          </Paged>
        )}
      </Loaded>
    </Card>
  )
}

const ANCHOR_COLUMNS: Column<Anchor>[] = [
  { key: 'root', label: 'Merkle root', cell: (row) => <Hash of={row.merkle_root} /> },
  { key: 'leaves', label: 'Leaves', align: 'right', cell: (row) => row.leaf_count },
  { key: 'tx', label: 'Transaction', cell: (row) => <Hash of={row.tx_hash} /> },
  { key: 'block', label: 'Block', align: 'right', cell: (row) => row.block_number },
  { key: 'at', label: 'Time', align: 'right', cell: (row) => <Ago at={row.anchored_at} /> },
]

const PUBLICATION_COLUMNS: Column<Publication>[] = [
  { key: 'agents', label: 'Agents', align: 'right', cell: (row) => row.agent_count },
  { key: 'tx', label: 'Transaction', cell: (row) => <Hash of={row.tx_hash} /> },
  { key: 'block', label: 'Block', align: 'right', cell: (row) => row.block_number },
  { key: 'at', label: 'Time', align: 'right', cell: (row) => <Ago at={row.published_at} /> },
]

const HEALTH_TONES: Record<'ok' | 'degraded' | 'down', Tone> = {
  ok: 'good',
  degraded: 'warn',
  down: 'bad',
}

const HEALTH_LABELS = { ok: 'OK', degraded: 'Degraded', down: 'Down' } as const

function RelayerCard() {
  const contracts = useContracts()
  const health = useChainHealth()
  const status = health.data?.checks.chain.status
  return (
    <Card
      title="Relayer"
      actions={
        status === undefined ? undefined : (
          <Pill tone={HEALTH_TONES[status]}>{HEALTH_LABELS[status]}</Pill>
        )
      }
    >
      <Loaded query={contracts} lines={4}>
        {(data) => (
          <Facts
            facts={[
              {
                label: 'Chain',
                value:
                  data.mode === 'embedded'
                    ? 'Embedded development chain'
                    : `${data.chain} (${data.chain_id})`,
              },
              { label: 'Relayer address', value: <Hash of={data.relayer} /> },
              { label: 'Anchor contract', value: <Hash of={data.merkle_anchor} /> },
              { label: 'Registry contract', value: <Hash of={data.reputation_registry} /> },
            ]}
          />
        )}
      </Loaded>
    </Card>
  )
}
