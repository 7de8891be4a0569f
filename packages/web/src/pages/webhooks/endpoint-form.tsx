import { type FormEvent, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { ChoiceList } from '../../ui/choice-list.tsx'
import { Field, Input } from '../../ui/field.tsx'
import { Segments } from '../../ui/segments.tsx'
import { EVENT_CHOICES, isEventType } from './event-types.ts'
import type { Endpoint, EndpointBody } from './queries.ts'

export type EndpointFormProps = {
  endpoint?: Endpoint
  submitLabel: string
  busy: boolean
  onSubmit: (body: EndpointBody) => void
}

/** The URL, description and event types of an endpoint. */
export function EndpointForm({ endpoint, submitLabel, busy, onSubmit }: EndpointFormProps) {
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
      <Field
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
      <Field label="Description">
        {(control) => (
          <Input
            {...control}
            value={description}
            maxLength={200}
            onChange={(event) => setDescription(event.target.value)}
          />
        )}
      </Field>
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
