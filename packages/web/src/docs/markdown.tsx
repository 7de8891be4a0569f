import type { Token, Tokens } from 'marked'
import { createContext, Fragment, type ReactNode, useContext } from 'react'
import { TextWithCodes } from '../names/text-with-codes.tsx'
import { CodeBlock } from '../ui/copy.tsx'
import { plainText } from './parse-document.ts'
import { createSlugger } from './slug.ts'

/** The parts that differ between pages: the values in code, and where links lead. */
export type Setting = {
  /** Puts values of the reader into code. */
  fill: (code: string) => string
  link: (href: string, text: ReactNode) => ReactNode
}

const SettingContext = createContext<Setting>({ fill: (code) => code, link: (_, text) => text })

export type MarkdownProps = { tokens: readonly Token[]; setting: Setting }

/** Renders our own documentation; what it does not know becomes plain text. */
export function Markdown({ tokens, setting }: MarkdownProps) {
  return (
    <SettingContext value={setting}>
      <Blocks tokens={withAnchors(tokens)} />
    </SettingContext>
  )
}

type Anchored = Token & { anchor?: string }

/** Gives each heading the anchor that links to it have. */
function withAnchors(tokens: readonly Token[]): Anchored[] {
  const slugOf = createSlugger()
  return tokens.map((token) =>
    token.type === 'heading' ? { ...token, anchor: slugOf(plainText(token)) } : token,
  )
}

function Blocks({ tokens }: { tokens: readonly Token[] }) {
  return keyed(tokens).map(([key, token]) => (
    <Fragment key={key}>
      <Block token={token} />
    </Fragment>
  ))
}

/** Keys by place, because a page never changes. */
function keyed<Item>(items: readonly Item[]): [string, Item][] {
  return items.map((item, place) => [String(place), item])
}

function Block({ token }: { token: Anchored }): ReactNode {
  const { fill } = useContext(SettingContext)
  switch (token.type) {
    case 'space':
      return null
    case 'heading':
      return <Heading token={token} />
    case 'code':
      return <CodeBlock label={labelOf(token['lang'])} code={fill(token['text'])} />
    case 'list':
      return <List list={token as Tokens.List} />
    case 'table':
      return <MarkdownTable table={token as Tokens.Table} />
    case 'blockquote':
      return (
        <blockquote className="grid gap-3 border-l-2 border-line-strong pl-4 text-ink-soft">
          <Blocks tokens={(token as Tokens.Blockquote).tokens} />
        </blockquote>
      )
    default:
      return <p className="leading-relaxed">{inline(token)}</p>
  }
}

/** The title of the page is its first heading, so these begin with the second level. */
function Heading({ token }: { token: Anchored }) {
  const { depth } = token as Tokens.Heading
  if (depth <= 2) {
    return (
      <h2 id={token.anchor} className="mt-4 scroll-mt-6 text-lg font-semibold first:mt-0">
        {inline(token)}
      </h2>
    )
  }
  return (
    <h3 id={token.anchor} className="mt-3 scroll-mt-6 font-semibold first:mt-0">
      {inline(token)}
    </h3>
  )
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

function List({ list }: { list: Tokens.List }) {
  const items = keyed(list.items).map(([key, item]) => (
    <li key={key}>
      <Item tokens={item.tokens} />
    </li>
  ))
  return list.ordered ? (
    <ol start={Number(list.start)} className="grid list-decimal gap-1.5 pl-5">
      {items}
    </ol>
  ) : (
    <ul className="grid list-disc gap-1.5 pl-5">{items}</ul>
  )
}

/** An item of one paragraph is text; others have lists, code or paragraphs below it. */
function Item({ tokens }: { tokens: readonly Token[] }) {
  return keyed(tokens).map(([key, token]) =>
    token.type === 'text' ? (
      <Fragment key={key}>{inline(token)}</Fragment>
    ) : (
      <div key={key} className="mt-1.5 grid gap-1.5">
        <Block token={token} />
      </div>
    ),
  )
}

function MarkdownTable({ table }: { table: Tokens.Table }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a section would be a landmark for each table
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
    <div role="group" className="overflow-x-auto" tabIndex={0} aria-label="Table">
      <table className="w-full border-collapse text-sm">
        <thead>
          <tr className="border-b border-line text-left">
            {keyed(table.header).map(([key, cell]) =>
              cell.text === '' ? (
                <td key={key} />
              ) : (
                <th key={key} scope="col" className="py-2 pr-4 font-medium">
                  {inline(cell)}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>
          {keyed(table.rows).map(([key, row]) => (
            <tr key={key} className="border-b border-line align-top last:border-0">
              {keyed(row).map(([place, cell]) => (
                <td key={place} className="py-2 pr-4">
                  {inline(cell)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

type Parent = { tokens?: readonly Token[] | undefined; text?: string; raw?: string }

function inline({ tokens, text }: Parent): ReactNode {
  if (tokens === undefined) return <TextWithCodes>{text ?? ' '}</TextWithCodes>
  return keyed(tokens).map(([key, token]) => (
    <Fragment key={key}>
      <Inline token={token} />
    </Fragment>
  ))
}

function Inline({ token }: { token: Token }): ReactNode {
  const { fill, link } = useContext(SettingContext)
  switch (token.type) {
    case 'codespan':
      return <code className="font-mono text-[0.9em] break-words">{fill(token['text'])}</code>
    case 'strong':
      return <strong>{inline(token)}</strong>
    case 'em':
      return <em>{inline(token)}</em>
    case 'link':
      return link(token['href'], inline(token))
    default:
      return inline(token)
  }
}
