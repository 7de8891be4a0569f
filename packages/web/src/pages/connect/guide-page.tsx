import { Link, useParams } from '@tanstack/react-router'
import { HOOK_CLIENTS } from '@touchstone/sdk/hooks/clients'
import { type ReactNode, useState } from 'react'
import { linkTarget } from '../../docs/link-target.ts'
import { Markdown } from '../../docs/markdown.tsx'
import type { Document } from '../../docs/parse-document.ts'
import { buttonClass } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Page } from '../../ui/page.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { TEXT_LINK, TextLink } from '../../ui/text-link.tsx'
import { fill } from './fill.ts'
import { FirstDecision } from './first-decision.tsx'
import { slugOf } from './guides.ts'
import { KeyCard } from './key-card.tsx'
import { type Awaited, type MadeKey, useDecisionSince } from './queries.ts'
import { useGuide } from './use-guide.ts'

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
        title="Page not found"
        action={
          <Link to="/o/$orgId/connect" params={{ orgId }} className={buttonClass('plain')}>
            View all pages
          </Link>
        }
      />
    </Page>
  )
}

function Filled({ slug, guide }: { slug: string; guide: Document }) {
  const { orgId } = useParams({ from: '/o/$orgId/connect/$guide' })
  const [made, setMade] = useState<MadeKey>()
  const [openedAt] = useState(() => new Date().toISOString())
  const source = SOURCES.get(slug)
  const awaited = source ?? awaitedOf(made)
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
          <KeyCard filling={filling} made={made} onMade={setMade} isClient={source !== undefined} />
          <FirstDecision isAwaited={awaited !== undefined} first={first} />
        </div>
        <Card>
          <div className="grid gap-3">
            <Markdown
              tokens={guide.tokens}
              setting={{
                fill: (code) => fill(code, filling),
                link: (href, text) => <GuideLink from={slug} href={href} text={text} />,
              }}
            />
          </div>
        </Card>
      </div>
    </Page>
  )
}

/** Other pages of docs/connect open here with the reader's values, other documents in the docs. */
function GuideLink({ from, href, text }: { from: string; href: string; text: ReactNode }) {
  const { orgId } = useParams({ from: '/o/$orgId/connect/$guide' })
  const guide = slugOf(href)
  if (guide !== undefined) {
    return (
      <TextLink to="/o/$orgId/connect/$guide" params={{ orgId, guide }}>
        {text}
      </TextLink>
    )
  }
  const target = linkTarget(`connect/${from}`, href)
  return target === undefined ? (
    text
  ) : (
    <a href={target} className={TEXT_LINK}>
      {text}
    </a>
  )
}

/** The clients that the commands of a page connect; their decisions show only by their source. */
const SOURCES = new Map<string, Awaited>([
  ...HOOK_CLIENTS.map((client): [string, Awaited] => [client, { source: 'hook' }]),
  ['model-gateway', { source: 'model_gateway' }],
  ['mcp', { source: 'mcp_guard' }],
])

function awaitedOf(made: MadeKey | undefined): Awaited | undefined {
  return made?.agentId === undefined ? undefined : { agent_id: made.agentId }
}
