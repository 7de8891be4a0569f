import type { ReactNode } from 'react'
import { TextWithCodes } from '../../names/text-with-codes.tsx'
import { Card } from '../../ui/card.tsx'
import { CodeBlock } from '../../ui/copy.tsx'
import {
  type ApiDocument,
  type Endpoint,
  limitsOf,
  type Operation,
  type Parameter,
  type Schema,
  typeOf,
} from './api-document.ts'
import { curlOf } from './curl.ts'
import { MethodMark } from './method-mark.tsx'
import { SchemaView } from './schema-view.tsx'

type OperationViewProps = { endpoint: Endpoint; api: ApiDocument }

/** One operation: who may call it, what it takes and what it answers. */
export function OperationView({ endpoint, api }: OperationViewProps) {
  const { method, path, operation } = endpoint
  const body = operation.requestBody?.content['application/json']?.schema
  return (
    <div id={operation.operationId} className="scroll-mt-6">
      <Card
        title={operation.summary}
        note={
          operation.description === undefined ? undefined : (
            <TextWithCodes>{operation.description}</TextWithCodes>
          )
        }
      >
        <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
          <p className="flex items-baseline gap-3 rounded-md bg-sunken px-3 py-2">
            <MethodMark method={method} />
            <code className="font-mono text-[0.8125rem] break-all">{path}</code>
          </p>
          <Parameters all={operation.parameters ?? []} />
          {body === undefined ? null : (
            <Part title="Body" detail={typeOf(body)}>
              <SchemaView schema={body} api={api} />
            </Part>
          )}
          <Responses operation={operation} api={api} />
          <CodeBlock label="Shell" code={curlOf(endpoint, location.origin)} />
        </div>
      </Card>
    </div>
  )
}

type PartProps = { title: string; detail?: string; children: ReactNode }

function Part({ title, detail, children }: PartProps) {
  return (
    <section>
      <h3 className="flex items-baseline gap-3 text-sm font-semibold">
        {title}
        {detail === undefined ? null : <span className="font-normal text-ink-soft">{detail}</span>}
      </h3>
      <div className="mt-1">{children}</div>
    </section>
  )
}

const PLACES = [
  ['path', 'Path'],
  ['query', 'Query'],
  ['header', 'Headers'],
] as const

function Parameters({ all }: { all: readonly Parameter[] }) {
  return PLACES.map(([place, title]) => {
    const own = all.filter((parameter) => parameter.in === place)
    if (own.length === 0) return null
    return (
      <Part key={place} title={title}>
        <ul className="grid divide-y divide-line">
          {own.map((parameter) => (
            <li key={parameter.name} className="py-2 text-sm">
              <p className="flex flex-wrap items-baseline gap-x-3">
                <code className="font-mono text-[0.8125rem] font-medium">{parameter.name}</code>
                <span className="text-ink-soft">{typeOf(parameter.schema)}</span>
                {parameter.required === true ? null : (
                  <span className="text-xs text-ink-faint">optional</span>
                )}
              </p>
              {parameter.description === undefined ? null : (
                <p className="text-ink-soft">
                  <TextWithCodes>{parameter.description}</TextWithCodes>
                </p>
              )}
              <p className="text-xs break-words text-ink-faint">
                {limitsOf(parameter.schema).join(' · ')}
              </p>
            </li>
          ))}
        </ul>
      </Part>
    )
  })
}

function Responses({ operation, api }: { operation: Operation; api: ApiDocument }) {
  return (
    <Part title="Responses">
      <ul className="grid divide-y divide-line text-sm">
        {Object.entries(operation.responses).map(([status, { description, content }]) => (
          <li key={status} className="py-2">
            <p className="grid grid-cols-[3rem_minmax(0,1fr)] gap-3">
              <span className="font-mono text-[0.8125rem]">{status}</span>
              <span className="text-ink-soft">
                <TextWithCodes>{description}</TextWithCodes>
              </span>
            </p>
            {status.startsWith('2') ? (
              <Answer schema={content?.['application/json']?.schema} api={api} />
            ) : null}
          </li>
        ))}
      </ul>
    </Part>
  )
}

function Answer({ schema, api }: { schema: Schema | undefined; api: ApiDocument }) {
  if (schema === undefined) return null
  return (
    <div className="mt-1 border-l border-line pl-4">
      <SchemaView schema={schema} api={api} />
    </div>
  )
}
