import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useCanEdit } from '../../session/use-can-edit.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Diff } from '../../ui/diff.tsx'
import { Paged } from '../../ui/pager.tsx'
import { Empty, ErrorState, Loaded } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { Ago } from '../../ui/time.tsx'
import { useAgentAction } from './queries.ts'
import { acceptTool, type ChangedTool, type ToolPin, useToolPins } from './tool-pin-queries.ts'

const CHANGES_PER_PAGE = 5
const PINS_PER_PAGE = 20

/** The MCP tools of an agent, as they were pinned, and the changes that wait for somebody to accept them. */
export function ToolsTab() {
  const { agentId } = useParams({ from: '/o/$orgId/agents/$agentId/tools' })
  return (
    <div className="grid gap-6">
      <ChangedTools agentId={agentId} />
      <PinnedTools agentId={agentId} />
    </div>
  )
}

function ChangedTools({ agentId }: { agentId: string }) {
  const [page, setPage] = useState(1)
  const perPage = CHANGES_PER_PAGE
  const changes = useToolPins(agentId, { changed: true, page, per_page: perPage })
  const found = changes.data
  if (found === undefined || found.total === 0) return null
  return (
    <Card
      title="Changed tools"
      note="Their definitions differ from the pinned ones. The policy decides what happens to their calls until you accept the changes"
      padded={false}
    >
      <Paged page={page} perPage={perPage} total={found.total} onPage={setPage} empty={null}>
        <ol className="divide-y divide-line">
          {found.tool_pins.filter(isChanged).map((pin) => (
            <Change key={`${pin.policy_tool} ${pin.change.sha256}`} agentId={agentId} pin={pin} />
          ))}
        </ol>
      </Paged>
    </Card>
  )
}

function isChanged(pin: ToolPin): pin is ChangedTool {
  return pin.change !== null
}

function Change({ agentId, pin }: { agentId: string; pin: ChangedTool }) {
  const canEdit = useCanEdit()
  const accept = useAgentAction(agentId, {
    run: (sha256: string) => acceptTool(agentId, pin, sha256),
    done: (after: ToolPin) =>
      after.sha256 === pin.change.sha256 ? 'Change accepted' : 'Pinned definition kept',
  })
  const isBusy = (sha256: string) => accept.isPending && accept.variables === sha256
  return (
    <li className="grid min-w-0 gap-3 px-5 py-4">
      <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
        <div className="min-w-0">
          <h3 className="font-mono text-sm font-medium break-all">{pin.policy_tool}</h3>
          <p className="text-sm text-ink-faint">
            Changed <Ago at={pin.change.seen_at} />, pinned <Ago at={pin.pinned_at} />
          </p>
        </div>
        {canEdit ? (
          <div className="flex flex-wrap gap-2">
            <Button
              tone="quiet"
              busy={isBusy(pin.sha256)}
              onClick={() => accept.mutate(pin.sha256)}
              aria-label={`Keep pinned definition of ${pin.tool}`}
            >
              Keep pinned
            </Button>
            <Button
              tone="primary"
              busy={isBusy(pin.change.sha256)}
              onClick={() => accept.mutate(pin.change.sha256)}
              aria-label={`Accept change of ${pin.tool}`}
            >
              Accept change
            </Button>
          </div>
        ) : null}
      </div>
      {accept.error ? <ErrorState error={accept.error} /> : null}
      <Diff
        label={`Change of ${pin.policy_tool}`}
        before={textOf(pin.definition)}
        after={textOf(pin.change.definition)}
      />
    </li>
  )
}

/** Characters that look like nothing or reorder text, with which a change could hide. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Zl}\p{Zp}]/gu

/** The description as lines of text, and the rest as JSON; invisible characters are spelled out. */
function textOf(definition: ToolPin['definition']): string {
  const { name, description, ...rest } = definition
  const text = [
    `name: ${String(name)}`,
    'description:',
    ...String(description ?? '(none)')
      .split('\n')
      .map((line) => `  ${line}`),
    JSON.stringify(rest, null, 2),
  ].join('\n')
  return text.replace(
    INVISIBLE,
    (one) => `<U+${(one.codePointAt(0) ?? 0).toString(16).toUpperCase()}>`,
  )
}

function PinnedTools({ agentId }: { agentId: string }) {
  const [page, setPage] = useState(1)
  const perPage = PINS_PER_PAGE
  const pins = useToolPins(agentId, { changed: false, page, per_page: perPage })
  return (
    <Card
      title="Pinned tools"
      note="The definitions that MCP servers listed when the guard first saw them, or that were accepted"
      padded={false}
    >
      <Loaded query={pins}>
        {({ tool_pins, total }) => (
          <Paged
            page={page}
            perPage={perPage}
            total={total}
            onPage={setPage}
            empty={
              <Empty title="No pinned tools">
                The tools of an MCP server are pinned when the agent lists them through touchstone
                guard.
              </Empty>
            }
          >
            <Table
              caption="Pinned tools"
              columns={COLUMNS}
              rows={tool_pins}
              keyOf={({ policy_tool }) => policy_tool}
            />
          </Paged>
        )}
      </Loaded>
    </Card>
  )
}

const COLUMNS: Column<ToolPin>[] = [
  {
    key: 'tool',
    label: 'Tool',
    cell: (pin) => (
      <>
        <span className="font-mono text-sm break-all">{pin.policy_tool}</span>
        <p className="line-clamp-2 max-w-prose text-xs break-words text-ink-faint">
          {String(pin.definition['description'] ?? '')}
        </p>
      </>
    ),
  },
  {
    key: 'hash',
    label: 'SHA-256',
    cell: ({ sha256 }) => <span className="font-mono text-xs">{sha256.slice(0, 12)}</span>,
  },
  {
    key: 'by',
    label: 'Pinned',
    cell: ({ pinned_by, pinned_at }) => (
      <>
        <Ago at={pinned_at} />
        <p className="text-xs text-ink-faint">{pinned_by === null ? 'First seen' : 'Accepted'}</p>
      </>
    ),
  },
]
