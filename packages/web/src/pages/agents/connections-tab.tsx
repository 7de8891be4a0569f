import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useCanEdit } from '../../session/use-can-edit.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { Pill } from '../../ui/pill.tsx'
import { Empty, ErrorState, Loaded } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Ago } from '../../ui/time.tsx'
import { ConnectionEnvironment } from './connection-environment.tsx'
import {
  type Connection,
  GRACE_HOURS,
  PROVIDER_NAMES,
  type RevealedConnection,
  revokeConnection,
  rotateConnection,
  useConnections,
} from './connection-queries.ts'
import { CreateConnectionDialog } from './create-connection-dialog.tsx'
import { ModelUsageCard } from './model-usage-card.tsx'
import { useAgentAction } from './queries.ts'

export function ConnectionsTab() {
  const { agentId } = useParams({ from: '/o/$orgId/agents/$agentId/connections' })
  return (
    <div className="grid gap-6">
      {useCanEdit() ? <Connections agentId={agentId} /> : <NotAllowed />}
      <ModelUsageCard agentId={agentId} />
    </div>
  )
}

function NotAllowed() {
  return (
    <Card title="Connections">
      <Empty title="Not available for your role">Owners and admins manage connections.</Empty>
    </Card>
  )
}

function Connections({ agentId }: { agentId: string }) {
  const connections = useConnections(agentId)
  const [isCreating, setIsCreating] = useState(false)
  const [shown, setShown] = useState<RevealedConnection>()
  return (
    <>
      <Card
        title="Connections"
        note="The agent calls its model at the address of a connection, and each tool call is decided first"
        actions={
          <Button tone="primary" onClick={() => setIsCreating(true)}>
            Create connection
          </Button>
        }
        padded={false}
      >
        <Loaded query={connections}>
          {(found) =>
            found.connections.length === 0 ? (
              <Empty title="No connections yet">
                Create a connection to govern an agent by changing one address. Its code stays as it
                is.
              </Empty>
            ) : (
              <ConnectionTable agentId={agentId} rows={found.connections} onShown={setShown} />
            )
          }
        </Loaded>
      </Card>
      <CreateConnectionDialog
        agentId={agentId}
        open={isCreating}
        onClose={() => setIsCreating(false)}
        onCreated={(created) => {
          setIsCreating(false)
          setShown(created)
        }}
      />
      <ConnectionEnvironment connection={shown} onClose={() => setShown(undefined)} />
    </>
  )
}

type ConnectionTableProps = {
  agentId: string
  rows: Connection[]
  onShown: (shown: RevealedConnection) => void
}

function ConnectionTable({ agentId, rows, onShown }: ConnectionTableProps) {
  const [revoking, setRevoking] = useState<Connection>()
  const rotate = useAgentAction(agentId, {
    run: (connectionId: string) => rotateConnection(agentId, connectionId),
    done: () => `Token rotated. The old token works for another ${GRACE_HOURS} hours.`,
  })
  const revoke = useAgentAction(agentId, {
    run: (connectionId: string) => revokeConnection(agentId, connectionId),
    done: () => 'Connection revoked',
  })
  const columns: Column<Connection>[] = [
    ...COLUMNS,
    {
      key: 'do',
      label: <span className="sr-only">Actions</span>,
      align: 'right',
      cell: (one) => (
        <span className="inline-flex">
          <Button
            tone="quiet"
            busy={rotate.isPending && rotate.variables === one.connection_id}
            onClick={() => rotate.mutate(one.connection_id, { onSuccess: onShown })}
          >
            Rotate
          </Button>
          <Button tone="quiet" onClick={() => setRevoking(one)}>
            Revoke
          </Button>
        </span>
      ),
    },
  ]
  return (
    <>
      <Table
        caption="Connections"
        columns={columns}
        rows={rows}
        keyOf={({ connection_id }) => connection_id}
      />
      {rotate.error ? <ErrorState error={rotate.error} /> : null}
      <Confirm
        open={revoking !== undefined}
        onClose={() => setRevoking(undefined)}
        title="Revoke this connection?"
        action="Revoke"
        mutation={revoke}
        input={revoking?.connection_id}
      >
        Programs that use “{revoking?.name}” will no longer reach their model. You cannot undo this.
      </Confirm>
    </>
  )
}

const COLUMNS: Column<Connection>[] = [
  {
    key: 'name',
    label: 'Name',
    cell: (one) => (
      <>
        <span className="font-medium">{one.name}</span>
        <p className="font-mono text-xs text-ink-faint">{one.token_prefix}…</p>
        {one.mode === 'observe' ? <Pill>Observe only</Pill> : null}
      </>
    ),
  },
  {
    key: 'provider',
    label: 'Provider',
    cell: (one) => (
      <>
        {PROVIDER_NAMES[one.provider]}
        {one.upstream_url === null ? null : (
          <p className="font-mono text-xs break-all text-ink-faint">{one.upstream_url}</p>
        )}
      </>
    ),
  },
  {
    key: 'credential',
    label: 'Provider key',
    cell: (one) =>
      one.credential === 'sealed' ? <Pill tone="good">Sealed</Pill> : 'Held by the agent',
  },
  {
    key: 'contained',
    label: 'While contained',
    cell: (one) => (one.on_contained === 'refuse' ? 'Refused' : 'Explained in a turn'),
  },
  {
    key: 'error',
    label: 'If the gateway fails',
    cell: (one) =>
      one.on_error === 'fail_closed' ? 'Calls are blocked' : <Pill tone="warn">Calls pass</Pill>,
  },
  { key: 'used', label: 'Last used', cell: (one) => <Ago at={one.last_used_at} /> },
]
