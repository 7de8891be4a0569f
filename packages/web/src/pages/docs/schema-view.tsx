import { useState } from 'react'
import { TextWithCodes } from '../../names/text-with-codes.tsx'
import { type ApiDocument, limitsOf, refName, type Schema, typeOf } from './api-document.ts'

type SchemaViewProps = { schema: Schema; api: ApiDocument }

/** The fields of a schema. Those of other schemas are shown when the reader opens them. */
export function SchemaView({ schema, api }: SchemaViewProps) {
  const { $ref, properties, required = [], items, anyOf } = schema
  if ($ref !== undefined) {
    const target = api.components.schemas[refName($ref)]
    return target === undefined ? null : <SchemaView schema={target} api={api} />
  }
  if (items !== undefined) return <SchemaView schema={items} api={api} />
  if (anyOf !== undefined) {
    return (
      <div className="grid gap-2">
        {anyOf.map((option) => (
          <Choice key={typeOf(option)} schema={option} api={api} />
        ))}
      </div>
    )
  }
  if (properties === undefined) return <Limits schema={schema} />
  return (
    <ul className="grid divide-y divide-line">
      {Object.entries(properties).map(([name, field]) => (
        <Field
          key={name}
          name={name}
          schema={field}
          isRequired={required.includes(name)}
          api={api}
        />
      ))}
    </ul>
  )
}

function Choice({ schema, api }: SchemaViewProps) {
  return (
    <div>
      <p className="text-sm text-ink-soft">{typeOf(schema)}</p>
      {isDeep(schema) ? <More schema={schema} api={api} /> : null}
    </div>
  )
}

type FieldProps = SchemaViewProps & { name: string; isRequired: boolean }

function Field({ name, schema, isRequired, api }: FieldProps) {
  return (
    <li className="py-2 text-sm">
      <p className="flex flex-wrap items-baseline gap-x-3">
        <code className="font-mono text-[0.8125rem] font-medium break-all">{name}</code>
        <span className="text-ink-soft">{typeOf(schema)}</span>
        {isRequired ? null : <span className="text-xs text-ink-faint">optional</span>}
      </p>
      {schema.description === undefined ? null : (
        <p className="mt-0.5 text-ink-soft">
          <TextWithCodes>{schema.description}</TextWithCodes>
        </p>
      )}
      <Limits schema={schema} />
      {isDeep(schema) ? <More schema={schema} api={api} /> : null}
    </li>
  )
}

function Limits({ schema }: { schema: Schema }) {
  const limits = limitsOf(schema)
  if (limits.length === 0) return null
  return <p className="mt-0.5 text-xs break-words text-ink-faint">{limits.join(' · ')}</p>
}

/** Whether a schema has fields that its type does not tell. */
function isDeep({ $ref, properties, items, anyOf }: Schema): boolean {
  if ($ref !== undefined || properties !== undefined) return true
  if (items !== undefined) return isDeep(items)
  return anyOf?.some(isDeep) === true
}

/** Schemas may contain themselves, so the fields are only made when they are shown. */
function More({ schema, api }: SchemaViewProps) {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <details className="mt-1" onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary className="w-fit cursor-pointer text-xs text-accent">Fields</summary>
      {isOpen ? (
        <div className="mt-1 border-l border-line pl-4">
          <SchemaView schema={schema} api={api} />
        </div>
      ) : null}
    </details>
  )
}
