import { type FormEvent, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { ChoiceList } from '../../ui/choice-list.tsx'
import { Field, Input } from '../../ui/field.tsx'
import { FormErrors } from '../../ui/form-errors.tsx'
import { Segments } from '../../ui/segments.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { EVENT_CHOICES, isEventType } from './event-types.ts'
import type { Endpoint, EndpointBody } from './queries.ts'

export type EndpointFormProps = {
  endpoint?: Endpoint
  submitLabel: string
  busy: boolean
  error: unknown
  onSubmit: (body: EndpointBody) => void
}

/** The URL, description and event types of an endpoint. */
export function EndpointForm({ endpoint, submitLabel, busy, error, onSubmit }: EndpointFormProps) {
  const [url, setUrl] = useState(endpoint?.url ?? '')
  const [description, setDescription] = useState(endpoint?.description ?? '')
  const startsWithAll = endpoint === undefined || endpoint.event_types.includes('*')
  const [selection, setSelection] = useState<'all' | 'some'>(startsWithAll ? 'all' : 'some')
  const [types, setTypes] = useState<string[]>(startsWithAll ? [] : (endpoint?.event_types ?? []))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    onSubmit({
      url,
      description: description.trim() === '' ? null : description,
      event_types: selection === 'all' ? ['*'] : types.filter(isEventType),
    })
  }
  return (
    <form onSubmit={submit} className="grid gap-4">
      <FormErrors error={error} fields={['url', 'description']}>
        <Field
          name="url"
          label="URL"
          hint="An HTTPS URL that accepts POST requests and responds with 2xx within 10 seconds"
        >
          {(control) => (
            <Input
              {...control}
              type="url"
              required
              value={url}
              placeholder="https://example.com/hooks/touchstone"
              onChange={(event) => setUrl(event.target.value)}
            />
          )}
        </Field>
        <Field name="description" label="Description">
          {(control) => (
            <Input
              {...control}
              value={description}
              maxLength={200}
              onChange={(event) => setDescription(event.target.value)}
            />
          )}
        </Field>
      </FormErrors>
      <details className="text-xs text-ink-soft">
        <summary className="w-fit cursor-pointer text-accent">
          An address on this machine or in your network?
        </summary>
        <p className="mt-1">
          The service refuses them, so that nobody can reach your network through it. The operator
          can allow this machine with <code>ALLOW_LOOPBACK_EGRESS=true</code>, and private ranges
          with <code>EGRESS_ALLOW_CIDRS</code>, such as <code>10.20.0.0/16</code>.{' '}
          <TextLink to="/docs/$" params={{ _splat: 'guide/webhooks' }}>
            Webhooks
          </TextLink>
        </p>
      </details>
      <div>
        <Segments
          label="Event selection"
          value={selection}
          onChange={setSelection}
          options={[
            { value: 'all', label: 'All events' },
            { value: 'some', label: 'Selected events' },
          ]}
        />
      </div>
      {selection === 'all' ? null : (
        <ChoiceList label="Events" choices={EVENT_CHOICES} chosen={types} onChange={setTypes} />
      )}
      <div className="flex justify-end">
        <Button
          type="submit"
          tone="primary"
          busy={busy}
          disabled={selection === 'some' && types.length === 0}
        >
          {submitLabel}
        </Button>
      </div>
    </form>
  )
}
