import { Link } from '@tanstack/react-router'
import { buttonClass } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { CodeBlock } from '../../ui/copy.tsx'
import { CheckpointMarks } from './checkpoint-marks.tsx'
import { useCheckpoints } from './queries.ts'
import { useRefusals } from './use-refusals.ts'

export type RegisteredAgent = {
  agentId: string
  name: string
  secret: string | undefined
  key: string | undefined
}

/**
 * The next steps for a developer: the secrets, code to paste, and a status that shows it worked.
 */
export function Registered({ orgId, agent }: { orgId: string; agent: RegisteredAgent }) {
  const key = agent.key ?? '<your API key>'
  return (
    <div className="grid gap-6 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
      <Card title="Connect the agent" note="Use one of these snippets in the agent’s environment">
        <div className="grid gap-4">
          <CodeBlock label="Environment" code={environmentLines(agent.agentId, key)} />
          <CodeBlock label="Decide and record each tool call" code={guardLines()} />
          <CodeBlock label="Send a checkpoint: shell" code={curlLines(agent.agentId, key)} />
          <CodeBlock label="Send a checkpoint: JavaScript" code={sdkLines(agent.agentId, key)} />
        </div>
      </Card>
      <div className="grid content-start gap-6">
        <Card title="Credentials" note="Shown only once">
          <div className="grid gap-4">
            {agent.key === undefined ? null : <CodeBlock label="API key" code={agent.key} />}
            {agent.secret === undefined ? null : (
              <CodeBlock
                label="Agent secret (proves that you operate the agent)"
                code={agent.secret}
              />
            )}
          </div>
        </Card>
        <FirstCheckpoint orgId={orgId} agentId={agent.agentId} />
      </div>
    </div>
  )
}

/** Updates through the live stream as soon as the first checkpoint arrives. */
function FirstCheckpoint({ orgId, agentId }: { orgId: string; agentId: string }) {
  const checkpoints = useCheckpoints(agentId, {})
  const first = checkpoints.data?.checkpoints.at(-1)
  const refusalOf = useRefusals(agentId, first === undefined ? [] : [first])
  return (
    <Card title="First checkpoint">
      <div className="grid gap-3 text-sm" role="status">
        {first === undefined ? (
          <p className="flex items-center gap-2.5 text-ink-soft">
            <span aria-hidden="true" className="size-2 animate-pulse rounded-full bg-accent" />
            Waiting for the first checkpoint…
          </p>
        ) : (
          <p className="flex flex-wrap items-center gap-2">
            Checkpoint received: <CheckpointMarks checkpoint={first} refusal={refusalOf(first)} />
            {first.synthetic ? 'Too short to be analysed, but recorded and signed.' : null}
          </p>
        )}
        <div>
          <Link
            to="/o/$orgId/agents/$agentId/checkpoints"
            params={{ orgId, agentId }}
            className={buttonClass(first === undefined ? 'plain' : 'primary')}
          >
            {first === undefined ? 'View agent' : 'View checkpoint'}
          </Link>
        </div>
      </div>
    </Card>
  )
}

/** Long enough to be analysed: evidence under 100 tokens is recorded without analysis. */
const SAMPLE = {
  thinking: [
    'The customer asks where parcel 4711 is and sounds worried about a birthday on Friday.',
    'The tracking page is public, so its contents may be quoted without asking anyone.',
    'It says that the parcel left the depot this morning and that the van is on its usual round.',
    'The carrier gives a window between nine and eleven for that street on most days.',
    'A refund is not asked for, and it would need a person to approve it in any case.',
    'No address or name has to be repeated in the answer, so no personal data leaves the thread.',
    'I will name the depot and the window, link the page, and offer to look again at noon.',
  ].join(' '),
  output: 'Your parcel left the depot this morning and arrives between nine and eleven.',
}

function environmentLines(agentId: string, key: string): string {
  return [
    `export TOUCHSTONE_URL='${location.origin}'`,
    `export TOUCHSTONE_API_KEY='${key}'`,
    `export TOUCHSTONE_AGENT='${agentId}'`,
  ].join('\n')
}

/** The guard asks before each call, so the policies of the agent apply to it. */
function guardLines(): string {
  return [
    "import { createTouchstone } from '@touchstone/sdk'",
    "import { createGuard, guardTool } from '@touchstone/sdk/guard'",
    '',
    'const { TOUCHSTONE_URL, TOUCHSTONE_API_KEY, TOUCHSTONE_AGENT } = process.env',
    'const guard = createGuard({',
    '  client: createTouchstone({ baseUrl: TOUCHSTONE_URL, token: TOUCHSTONE_API_KEY }),',
    '  agentId: TOUCHSTONE_AGENT,',
    '})',
    "export const search = guardTool(searchOrders, { guard, tool: 'search_orders' })",
  ].join('\n')
}

function curlLines(agentId: string, key: string): string {
  const url = `${location.origin}/v1/agents/${encodeURIComponent(agentId)}/checkpoints`
  return [
    `curl -sS '${url}' \\`,
    `  -H 'Authorization: Bearer ${key}' \\`,
    "  -H 'Content-Type: application/json' \\",
    `  -d '${JSON.stringify(SAMPLE, null, 2)}'`,
  ].join('\n')
}

function sdkLines(agentId: string, key: string): string {
  return [
    "import { createClient } from '@touchstone/sdk'",
    '',
    'const touchstone = createClient({',
    `  baseUrl: '${location.origin}',`,
    `  token: '${key}',`,
    '})',
    '',
    "const { proceed } = await touchstone.request('POST', '/v1/agents/{agent_id}/checkpoints', {",
    `  params: { agent_id: '${agentId}' },`,
    `  body: ${JSON.stringify(SAMPLE, null, 2).replaceAll('\n', '\n  ')},`,
    '})',
  ].join('\n')
}
