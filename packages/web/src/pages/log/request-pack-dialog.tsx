import type { Body } from '@touchstone/sdk'
import type { FormEvent } from 'react'
import { api } from '../../session/session.ts'
import { useAction } from '../../session/use-action.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field, Input } from '../../ui/field.tsx'
import { FormErrors } from '../../ui/form-errors.tsx'
import { packsKey } from './queries.ts'

type NewPack = NonNullable<Body<'POST', '/v1/orgs/{org_id}/evidence-pack'>>

const FRAMEWORKS = [
  { framework: 'eu_ai_act', text: 'EU AI Act' },
  { framework: 'iso_42001', text: 'ISO/IEC 42001' },
  { framework: 'soc2', text: 'SOC 2' },
  { framework: 'owasp_agentic', text: 'OWASP Agentic Top 10' },
  { framework: 'nist_ai_rmf', text: 'NIST AI RMF' },
] as const

const FIELDS = ['from', 'to', 'frameworks']
const DAY_MS = 86_400_000
const USUAL_DAYS = 30

type Props = { orgId: string; open: boolean; onClose: () => void }

export function RequestPackDialog({ orgId, open, onClose }: Props) {
  const request = useAction({
    run: (body: NewPack) =>
      api.request('POST', '/v1/orgs/{org_id}/evidence-pack', { params: { org_id: orgId }, body }),
    done: () => 'The pack is being built',
    refresh: [packsKey(orgId)],
    onDone: onClose,
    pageShowsError: true,
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    request.mutate({
      from: startOf(form.get('from')),
      // The whole last day.
      to: startOf(form.get('to'), DAY_MS),
      frameworks: FRAMEWORKS.map(({ framework }) => framework).filter((one) => form.has(one)),
    })
  }
  const today = Date.now()
  return (
    <Dialog open={open} onClose={onClose} title="Create evidence pack">
      <form onSubmit={submit} className="grid gap-4">
        <FormErrors error={request.error} fields={FIELDS}>
          <div className="grid gap-4 sm:grid-cols-2">
            <Field name="from" label="First day" hint="In UTC">
              {(control) => (
                <Input
                  {...control}
                  name="from"
                  type="date"
                  defaultValue={dayOf(today - USUAL_DAYS * DAY_MS)}
                  required
                />
              )}
            </Field>
            <Field name="to" label="Last day" hint="At most 366 days in all">
              {(control) => (
                <Input {...control} name="to" type="date" defaultValue={dayOf(today)} required />
              )}
            </Field>
          </div>
          <fieldset className="grid gap-2 text-sm">
            <legend className="mb-1 font-medium">Map the records to the controls of</legend>
            {FRAMEWORKS.map(({ framework, text }) => (
              <label key={framework} className="flex items-center gap-2.5">
                <input type="checkbox" name={framework} defaultChecked className="accent-accent" />
                {text}
              </label>
            ))}
          </fieldset>
          <p className="text-sm text-ink-soft">
            A pack contains the records of all agents, including members’ email addresses. It is
            deleted after seven days.
          </p>
        </FormErrors>
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" tone="primary" busy={request.isPending}>
            Create pack
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

function dayOf(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 'YYYY-MM-DD'.length)
}

function startOf(day: FormDataEntryValue | null, laterMs = 0): string {
  return new Date(Date.parse(`${String(day)}T00:00:00.000Z`) + laterMs).toISOString()
}
