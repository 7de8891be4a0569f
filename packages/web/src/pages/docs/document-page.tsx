import { Link, useLocation, useParams, useRouter } from '@tanstack/react-router'
import { type MouseEvent, type ReactNode, useEffect } from 'react'
import { linkTarget } from '../../docs/link-target.ts'
import { Markdown } from '../../docs/markdown.tsx'
import { type Document, sectionsOf } from '../../docs/parse-document.ts'
import { useDocument } from '../../docs/use-document.ts'
import { buttonClass } from '../../ui/button.tsx'
import { Page } from '../../ui/page.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { TEXT_LINK } from '../../ui/text-link.tsx'

export function DocumentPage() {
  const { _splat: id = '' } = useParams({ from: '/site/docs/$' })
  const document = useDocument(id)
  return (
    <Loaded query={document}>
      {(found) => (found === null ? <NoDocument /> : <Shown key={id} id={id} document={found} />)}
    </Loaded>
  )
}

function NoDocument() {
  return (
    <Page title="Document not found" lead="The documentation of this version has no such page.">
      <Empty
        title="Look for it in the contents or search for it"
        action={
          <Link to="/docs" className={buttonClass('plain')}>
            View contents
          </Link>
        }
      />
    </Page>
  )
}

function Shown({ id, document }: { id: string; document: Document }) {
  const { hash } = useLocation()
  useEffect(() => {
    // The router scrolled before the document was loaded.
    if (hash !== '') globalThis.document.getElementById(hash)?.scrollIntoView()
  }, [hash])
  return (
    <Page title={document.title}>
      <div className="gap-10 xl:grid xl:grid-cols-[minmax(0,1fr)_14rem]">
        <article className="grid max-w-[46rem] min-w-0 grid-cols-[minmax(0,1fr)] content-start gap-3">
          <Markdown
            tokens={document.tokens}
            setting={{
              fill: (code) => code,
              link: (href, text) => <DocumentLink from={id} href={href} text={text} />,
            }}
          />
        </article>
        <OnThisPage document={document} />
      </div>
    </Page>
  )
}

type DocumentLinkProps = { from: string; href: string; text: ReactNode }

function DocumentLink({ from, href, text }: DocumentLinkProps) {
  const router = useRouter()
  const target = linkTarget(from, href)
  if (target === undefined) return text
  const follow = (event: MouseEvent) => {
    const isPlain = !event.ctrlKey && !event.metaKey && !event.shiftKey && event.button === 0
    if (!isPlain || !target.startsWith('/')) return
    event.preventDefault()
    void router.navigate({ href: target })
  }
  return (
    <a href={target} onClick={follow} className={TEXT_LINK}>
      {text}
    </a>
  )
}

function OnThisPage({ document }: { document: Document }) {
  const [, ...sections] = sectionsOf(document)
  if (sections.length < 2) return null
  return (
    <nav aria-label="On this page" className="sticky top-7 self-start text-sm max-xl:hidden">
      <p className="pb-2 text-xs font-semibold text-ink-faint">On this page</p>
      <ul className="grid max-h-[80vh] gap-1.5 overflow-y-auto">
        {sections.map(({ heading, slug }) => (
          <li key={slug}>
            <a href={`#${slug}`} className="text-ink-soft hover:text-ink">
              {heading}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}
