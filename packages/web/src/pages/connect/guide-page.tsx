import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { buttonClass } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Page } from '../../ui/page.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { fill } from './fill.ts'
import { FirstDecision } from './first-decision.tsx'
import { type Guide, useGuide } from './guides.ts'
import { KeyCard } from './key-card.tsx'
import { Markdown } from './markdown.tsx'
import { type Awaited, type MadeKey, useDecisionSince } from './queries.ts'

/** One page of docs/connect, with the address of this service and a key of this organisation. */
export function GuidePage() {
  const { guide: slug } = useParams({ from: '/o/$orgId/connect/$guide' })
  const guide = useGuide(slug)
  return (
    <Loaded query={guide}>
      {(found) => (found === null ? <NoGuide /> : <Filled key={slug} slug={slug} guide={found} />)}
    </Loaded>
  )
}

function NoGuide() {
  const { orgId } = useParams({ from: '/o/$orgId/connect/$guide' })
  return (
    <Page title="Connect">
      <Empty
        title="There is no such page"
        action={
          <Link to="/o/$orgId/connect" params={{ orgId }} className={buttonClass('plain')}>
            View all pages
          </Link>
        }
      />
    </Page>
  )
}

function Filled({ slug, guide }: { slug: string; guide: Guide }) {
  const { orgId } = useParams({ from: '/o/$orgId/connect/$guide' })
  const [made, setMade] = useState<MadeKey>()
  const isClient = hasCommands(guide)
  const [openedAt] = useState(() => new Date().toISOString())
  const awaited = awaitedBy(slug, made, isClient)
  const first = useDecisionSince(orgId, openedAt, awaited).data?.decisions[0]
  const agentId = made?.agentId ?? first?.agent_id
  const filling = { slug, origin: location.origin, agentId }
  return (
    <Page
      title={guide.title}
      windowTitle={`Connect ${guide.title}`}
      actions={
        <Link to="/o/$orgId/connect" params={{ orgId }} className={buttonClass('plain')}>
          All integrations
        </Link>
      }
    >
      <div className="grid gap-6 lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <div className="grid content-start gap-6 lg:sticky lg:top-6 lg:order-last lg:self-start">
          <KeyCard filling={filling} made={made} onMade={setMade} isClient={isClient} />
          <FirstDecision isAwaited={awaited !== undefined} first={first} />
        </div>
        <Card>
          <div className="grid gap-3">
            <Markdown tokens={guide.tokens} fill={(code) => fill(code, filling)} />
          </div>
        </Card>
      </div>
    </Page>
  )
}

/** Decisions of an agent that a command registers show only by their source. */
const SOURCES: Readonly<Record<string, Awaited>> = {
  'model-gateway': { source: 'model_gateway' },
  mcp: { source: 'mcp_guard' },
}
const HOOK: Awaited = { source: 'hook' }

function awaitedBy(slug: string, made: MadeKey | undefined, isClient: boolean) {
  if (isClient) return SOURCES[slug] ?? HOOK
  return made?.agentId === undefined ? undefined : { agent_id: made.agentId }
}

/** Whether commands connect the agent: they register it and make its key. */
function hasCommands({ tokens }: Guide): boolean {
  return tokens.some((token) => token.type === 'code' && token['text'].startsWith('touchstone '))
}
