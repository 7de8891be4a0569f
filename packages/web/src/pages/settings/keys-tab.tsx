import { useParams } from '@tanstack/react-router'
import type { Answer } from '@touchstone/sdk'
import { useState } from 'react'
import { AgentLink } from '../../names/agent-link.tsx'
import { api } from '../../session/session.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Confirm } from '../../ui/confirm.tsx'
import { CodeBlock } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { sentenceCase } from '../../ui/marks.tsx'
import { Pill } from '../../ui/pill.tsx'
import { Empty, ErrorState, Loaded } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Ago, formatDate } from '../../ui/time.tsx'
import { CreateKeyDialog } from './create-key-dialog.tsx'
import { KeyAdvice } from './key-advice.tsx'
import { useKeys, useSettingsAction } from './queries.ts'

type Key = Answer<'GET', '/v1/orgs/{org_id}/api-keys'>['keys'][number]

export type RevealedKey = { name: string; key: string }

export function KeysTab() {
  const { orgId } = useParams({ from: '/o/$orgId/settings/api-keys' })
  const keys = useKeys(orgId)
  const [isCreating, setIsCreating] = useState(false)
  const [shown, setShown] = useState<RevealedKey>()
  return (
    <>
      <Card
        title="API keys"
        note="A key is shown only once; the service stores just a hash of it"
        actions={
          <Button tone="primary" onClick={() => setIsCreating(true)}>
            Create key
          </Button>
        }
        padded={false}
      >
        <Loaded query={keys}>
          {(found) =>
            found.keys.length === 0 ? (
              <Empty title="No API keys">Create a key to call the API from your programs.</Empty>
            ) : (
              <KeyTable orgId={orgId} keys={found.keys} onShown={setShown} />
            )
          }
        </Loaded>
      </Card>
      <div className="mt-6">
        <KeyAdvice />
      </div>
      <CreateKeyDialog
        orgId={orgId}
        open={isCreating}
        onClose={() => setIsCreating(false)}
        onCreated={(created) => {
          setIsCreating(false)
          setShown(created)
        }}
      />
      <Dialog
        open={shown !== undefined}
        onClose={() => setShown(undefined)}
        title="Copy your API key"
      >
        <p className="text-sm text-ink-soft">You will not be able to see it again.</p>
        <CodeBlock label={shown?.name ?? ''} code={shown?.key ?? ''} />
        <div className="flex justify-end">
          <Button tone="primary" onClick={() => setShown(undefined)}>
            Done
          </Button>
        </div>
      </Dialog>
    </>
  )
}

type KeyTableProps = { orgId: string; keys: Key[]; onShown: (shown: RevealedKey) => void }

function KeyTable({ orgId, keys, onShown }: KeyTableProps) {
  const [revoking, setRevoking] = useState<Key>()
  const rotate = useSettingsAction(orgId, {
    run: (keyId: string) =>
      api.request('POST', '/v1/orgs/{org_id}/api-keys/{key_id}/rotate', {
        params: { org_id: orgId, key_id: keyId },
        body: { grace_hours: 24 },
      }),
    done: () => 'Key rotated. The old key works for another 24 hours.',
  })
  const revoke = useSettingsAction(orgId, {
    run: (keyId: string) =>
      api.request('DELETE', '/v1/orgs/{org_id}/api-keys/{key_id}', {
        params: { org_id: orgId, key_id: keyId },
      }),
    done: () => 'Key revoked',
  })
  const columns: Column<Key>[] = [
    {
      key: 'name',
      label: 'Name',
      cell: (key) => (
        <>
          <span className="font-medium">{key.name}</span>
          <p className="font-mono text-xs text-ink-faint">{key.key_prefix}…</p>
          {key.mode === 'observe' ? <Pill>Observe only</Pill> : null}
          {key.allowed_ips.length === 0 ? null : (
            <p className="text-xs text-ink-faint">Only from {key.allowed_ips.join(', ')}</p>
          )}
        </>
      ),
    },
    {
      key: 'agent',
      label: 'Agent',
      cell: (key) => (key.agent_id === null ? 'All' : <AgentLink agentId={key.agent_id} />),
    },
    { key: 'role', label: 'Role', cell: (key) => sentenceCase(key.role) },
    { key: 'scopes', label: 'Scopes', cell: (key) => <Scopes scopes={key.scopes} /> },
    {
      key: 'used',
      label: 'Last used',
      cell: (key) => (
        <>
          <Ago at={key.last_used_at} />
          {key.unused ? (
            <p>
              <Pill tone="warn">Unused for 90 days</Pill>
            </p>
          ) : null}
        </>
      ),
    },
    {
      key: 'ends',
      label: 'Expires',
      cell: (key) => (key.expires_at === null ? 'Never' : formatDate(key.expires_at)),
    },
    {
      key: 'do',
      label: <span className="sr-only">Actions</span>,
      align: 'right',
      cell: (key) => (
        <span className="inline-flex">
          <Button
            tone="quiet"
            busy={rotate.isPending && rotate.variables === key.key_id}
            onClick={() =>
              rotate.mutate(key.key_id, {
                onSuccess: (created) => onShown({ name: created.name, key: created.key ?? '' }),
              })
            }
          >
            Rotate
          </Button>
          <Button tone="quiet" onClick={() => setRevoking(key)}>
            Revoke
          </Button>
        </span>
      ),
    },
  ]
  return (
    <>
      <Table caption="API keys" columns={columns} rows={keys} keyOf={(key) => key.key_id} />
      {rotate.error ? <ErrorState error={rotate.error} /> : null}
      <Confirm
        open={revoking !== undefined}
        onClose={() => setRevoking(undefined)}
        title="Revoke this key?"
        action="Revoke"
        mutation={revoke}
        input={revoking?.key_id}
      >
        Requests with “{revoking?.name}” will be rejected immediately. You cannot undo this.
      </Confirm>
    </>
  )
}

function Scopes({ scopes }: { scopes: Key['scopes'] }) {
  return (
    <span className="flex flex-wrap gap-1">
      {scopes.map((scope) => (
        <Pill key={scope}>{scope}</Pill>
      ))}
    </span>
  )
}
