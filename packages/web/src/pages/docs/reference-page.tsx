import { Link } from '@tanstack/react-router'
import { Card } from '../../ui/card.tsx'
import { Page } from '../../ui/page.tsx'
import { Loaded } from '../../ui/states.tsx'
import { type ApiDocument, endpointsOf, useApiDocument } from './api-document.ts'
import { MethodMark } from './method-mark.tsx'

/** All operations of the API, by tag. */
export function ReferencePage() {
  const api = useApiDocument()
  return (
    <Page
      title="API reference"
      lead={
        <>
          Every operation of this service, from its{' '}
          <a href="/openapi.json" className="underline underline-offset-4">
            OpenAPI document
          </a>
          , from which clients can be generated.
        </>
      }
    >
      <Loaded query={api}>{(document) => <Tags api={document} />}</Loaded>
    </Page>
  )
}

function Tags({ api }: { api: ApiDocument }) {
  return (
    <div className="grid gap-5">
      {api.tags.map(({ name, description }) => (
        <Card key={name} title={name.charAt(0).toUpperCase() + name.slice(1)} note={description}>
          <ul className="grid gap-1.5">
            {endpointsOf(api, name).map(({ method, path, operation }) => (
              <li key={operation.operationId}>
                <Link
                  to="/docs/reference/$tag"
                  params={{ tag: name }}
                  hash={operation.operationId}
                  className="grid grid-cols-[4.5rem_minmax(0,1fr)] items-baseline gap-x-3 rounded text-sm hover:bg-sunken lg:grid-cols-[4.5rem_minmax(0,1fr)_minmax(0,1fr)]"
                >
                  <MethodMark method={method} />
                  <code className="font-mono text-[0.8125rem] break-all">{path}</code>
                  <span className="text-ink-soft max-lg:col-start-2">{operation.summary}</span>
                </Link>
              </li>
            ))}
          </ul>
        </Card>
      ))}
    </div>
  )
}
