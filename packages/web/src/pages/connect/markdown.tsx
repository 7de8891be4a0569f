import { Link } from '@tanstack/react-router'
import type { Token, Tokens } from 'marked'
import { Fragment, type ReactNode } from 'react'
import { useOrgId } from '../../session/use-org-id.ts'
import { CodeBlock } from '../../ui/copy.tsx'
import { slugOf } from './guides.ts'

type Props = { tokens: readonly Token[]; fill: (code: string) => string }

/** Renders a page of our own documentation; what it does not know becomes plain text. */
export function Markdown({ tokens, fill }: Props) {
  return keyed(tokens).map(([key, token]) => (
    <Fragment key={key}>
      <Block token={token} fill={fill} />
    </Fragment>
  ))
}

/** Keys by place, because a page never changes. */
function keyed<Item>(items: readonly Item[]): [string, Item][] {
  return items.map((item, place) => [String(place), item])
}

function Block({ token, fill }: { token: Token; fill: Props['fill'] }): ReactNode {
  switch (token.type) {
    case 'space':
      return null
    case 'heading':
      return <h2 className="mt-4 text-lg font-semibold first:mt-0">{inline(token, fill)}</h2>
    case 'code':
      return <CodeBlock label={labelOf(token['lang'])} code={fill(token['text'])} />
    case 'list':
      return <List list={token as Tokens.List} fill={fill} />
    case 'table':
      return <MarkdownTable table={token as Tokens.Table} fill={fill} />
    default:
      return <p className="leading-relaxed">{inline(token, fill)}</p>
  }
}

const LABELS: Readonly<Record<string, string>> = {
  js: 'JavaScript',
  json: 'JSON',
  py: 'Python',
  python: 'Python',
  sh: 'Shell',
  ts: 'TypeScript',
  yaml: 'YAML',
}

function labelOf(language: string | undefined): string {
  return LABELS[language ?? ''] ?? 'Shell'
}

function List({ list, fill }: { list: Tokens.List; fill: Props['fill'] }) {
  const items = keyed(list.items).map(([key, item]) => <li key={key}>{inline(item, fill)}</li>)
  return list.ordered ? (
    <ol className="grid list-decimal gap-1.5 pl-5">{items}</ol>
  ) : (
    <ul className="grid list-disc gap-1.5 pl-5">{items}</ul>
  )
}

function MarkdownTable({ table, fill }: { table: Tokens.Table; fill: Props['fill'] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
    <section className="overflow-x-auto" tabIndex={0} aria-label="Table">
      <table className="w-full border-collapse text-sm">
        <thead>
          <tr className="border-b border-line text-left">
            {keyed(table.header).map(([key, cell]) => (
              <th key={key} scope="col" className="py-2 pr-4 font-medium">
                {inline(cell, fill)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {keyed(table.rows).map(([key, row]) => (
            <tr key={key} className="border-b border-line align-top last:border-0">
              {keyed(row).map(([place, cell]) => (
                <td key={place} className="py-2 pr-4">
                  {inline(cell, fill)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

type Parent = { tokens?: readonly Token[] | undefined; text?: string; raw?: string }

function inline({ tokens, text }: Parent, fill: Props['fill']): ReactNode {
  if (tokens === undefined) return text ?? ' '
  return keyed(tokens).map(([key, token]) => (
    <Fragment key={key}>
      <Inline token={token} fill={fill} />
    </Fragment>
  ))
}

function Inline({ token, fill }: { token: Token; fill: Props['fill'] }): ReactNode {
  switch (token.type) {
    case 'codespan':
      return <code className="font-mono text-[0.9em] break-words">{fill(token['text'])}</code>
    case 'strong':
      return <strong>{inline(token, fill)}</strong>
    case 'em':
      return <em>{inline(token, fill)}</em>
    case 'link':
      return <PageLink href={token['href']}>{inline(token, fill)}</PageLink>
    default:
      return inline(token, fill)
  }
}

/** Other files of the documentation are not part of the dashboard: their links become text. */
function PageLink({ href, children }: { href: string; children: ReactNode }) {
  const orgId = useOrgId()
  const guide = slugOf(href)
  if (guide === undefined) return children
  return (
    <Link
      to="/o/$orgId/connect/$guide"
      params={{ orgId, guide }}
      className="text-accent underline underline-offset-2"
    >
      {children}
    </Link>
  )
}
