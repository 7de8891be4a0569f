import { useNavigate } from '@tanstack/react-router'
import type { FormEvent } from 'react'
import { Button } from '../../../ui/button.tsx'
import { Field, Input } from '../../../ui/field.tsx'

/** Straight to the page of an agent whose id one has. */
export function OpenById() {
  const navigate = useNavigate()
  const open = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const agentId = String(new FormData(event.currentTarget).get('agent')).trim()
    if (agentId !== '') void navigate({ to: '/a/$agentId', params: { agentId } })
  }
  return (
    <form onSubmit={open} className="mx-auto flex max-w-md items-end gap-2">
      <Field label="Agent id" className="flex-1">
        {(control) => <Input {...control} name="agent" required autoComplete="off" />}
      </Field>
      <Button type="submit">Open its page</Button>
    </form>
  )
}
