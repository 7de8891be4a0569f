import { Link, useLocation, useParams } from '@tanstack/react-router'
import { useEffect } from 'react'
import { buttonClass } from '../../ui/button.tsx'
import { Page } from '../../ui/page.tsx'
import { Empty, Loaded } from '../../ui/states.tsx'
import { type ApiDocument, endpointsOf, useApiDocument } from './api-document.ts'
import { OperationView } from './operation-view.tsx'

/** The operations of one tag. */
export function TagPage() {
  const { tag } = useParams({ from: '/site/docs/reference/$tag' })
  const api = useApiDocument()
  const title = tag.charAt(0).toUpperCase() + tag.slice(1)
  return (
    <Page
      title={title}
      windowTitle={`${title} · API reference`}
      lead={api.data?.tags.find(({ name }) => name === tag)?.description}
      actions={
        <Link to="/docs/reference" className={buttonClass('plain')}>
          All operations
        </Link>
      }
    >
      <Loaded query={api}>{(document) => <Operations api={document} tag={tag} />}</Loaded>
    </Page>
  )
}

function Operations({ api, tag }: { api: ApiDocument; tag: string }) {
  const { hash } = useLocation()
  useEffect(() => {
    // The router scrolled before the operations were loaded.
    if (hash !== '') document.getElementById(hash)?.scrollIntoView()
  }, [hash])
  const endpoints = endpointsOf(api, tag)
  if (endpoints.length === 0) return <Empty title="The API has no such section" />
  return (
    <div className="grid gap-6">
      {endpoints.map((endpoint) => (
        <OperationView key={endpoint.operation.operationId} endpoint={endpoint} api={api} />
      ))}
    </div>
  )
}
