import { Link } from '@tanstack/react-router'
import { CHAPTERS } from '../../docs/contents.ts'
import { titleOf } from '../../docs/document-files.ts'
import { Card } from '../../ui/card.tsx'
import { Page } from '../../ui/page.tsx'

const START = [
  {
    id: 'connect/README',
    text: 'Put Claude Code, an MCP server or a program under a policy, with one command.',
  },
  { id: 'guide/gateway', text: 'Ask before each tool call, and act on the answer.' },
  { id: 'concepts/score', text: 'What a score says, and how anyone can compute it again.' },
  { id: 'guide/run', text: 'Run the service for others: settings, keys, email, metrics.' },
] as const

export function ContentsPage() {
  return (
    <Page title="Documentation" lead="Guides, concepts and reference of this version.">
      <div className="grid gap-6">
        <ul className="grid gap-3 sm:grid-cols-2">
          {START.map(({ id, text }) => (
            <li key={id}>
              <Link
                to="/docs/$"
                params={{ _splat: id }}
                className="block h-full rounded-card border border-line bg-surface px-5 py-4 hover:border-line-strong"
              >
                <span className="block font-medium">{titleOf(id)}</span>
                <span className="mt-1 block text-sm text-ink-soft">{text}</span>
              </Link>
            </li>
          ))}
        </ul>
        <div className="grid gap-6 sm:grid-cols-2 xl:grid-cols-3">
          {CHAPTERS.map(({ title, ids }) => (
            <Card key={title} title={title}>
              <ul className="grid gap-1.5 text-sm">
                {ids.map((id) => (
                  <li key={id}>
                    <Link
                      to="/docs/$"
                      params={{ _splat: id }}
                      className="underline decoration-line-strong underline-offset-4 hover:decoration-accent"
                    >
                      {titleOf(id) ?? 'API reference'}
                    </Link>
                  </li>
                ))}
              </ul>
            </Card>
          ))}
        </div>
      </div>
    </Page>
  )
}
