import type { FormEvent, ReactNode } from 'react'
import { Button } from '../../ui/button.tsx'
import { Field, Input } from '../../ui/field.tsx'
import { FormErrors } from '../../ui/form-errors.tsx'
import { Page } from '../../ui/page.tsx'

export type AccountPageProps = {
  title: string
  lead: ReactNode
  children: ReactNode
  /** Links to related pages. */
  after?: ReactNode
}

/** A narrow, centred page with a single form. */
export function AccountPage({ title, lead, children, after }: AccountPageProps) {
  return (
    <div className="mx-auto w-full max-w-[30rem] py-6 sm:py-12">
      <Page title={title} lead={lead}>
        <div className="rounded-card border border-line bg-surface p-6 shadow-soft">{children}</div>
        {after === undefined ? null : (
          <div className="mt-5 grid gap-1.5 text-sm text-ink-soft">{after}</div>
        )}
      </Page>
    </div>
  )
}

export type AccountFormProps = {
  action: string
  busy: boolean
  error: unknown
  onSubmit: (values: (name: string) => string) => void
  children: ReactNode
}

/** The fields of the account forms, by their names in the API. */
const FIELDS = ['email', 'password', 'new_password', 'current_password', 'token', 'name']

export function AccountForm({ action, busy, error, onSubmit, children }: AccountFormProps) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    onSubmit((name) => String(form.get(name) ?? ''))
  }
  return (
    <form onSubmit={submit} className="grid gap-4">
      <FormErrors error={error} fields={FIELDS}>
        {children}
      </FormErrors>
      <Button type="submit" tone="primary" busy={busy}>
        {action}
      </Button>
    </form>
  )
}

export function EmailField({
  onLeave,
  defaultValue,
}: {
  onLeave?: (email: string) => void
  defaultValue?: string
}) {
  return (
    <Field name="email" label="Email">
      {(control) => (
        <Input
          {...control}
          name="email"
          type="email"
          autoComplete="username"
          required
          {...(defaultValue === undefined ? {} : { defaultValue })}
          {...(onLeave === undefined ? {} : { onBlur: (event) => onLeave(event.target.value) })}
        />
      )}
    </Field>
  )
}

export function TokenField({ defaultValue, hint }: { defaultValue: string; hint: string }) {
  return (
    <Field name="token" label="Token" hint={hint}>
      {(control) => (
        <Input
          {...control}
          name="token"
          className="font-mono"
          autoComplete="off"
          spellCheck={false}
          defaultValue={defaultValue}
          required
        />
      )}
    </Field>
  )
}

/** A code of the second factor. */
export function CodeField({ hint }: { hint: string }) {
  return (
    <Field label="Code" hint={hint}>
      {(control) => (
        <Input
          {...control}
          name="code"
          className="font-mono"
          autoComplete="one-time-code"
          spellCheck={false}
          minLength={6}
          maxLength={40}
          required
        />
      )}
    </Field>
  )
}

/** Asked again before a change that a thief of the session would make. */
export function CurrentPasswordField() {
  return (
    <Field name="current_password" label="Current password">
      {(control) => (
        <Input
          {...control}
          name="current"
          type="password"
          autoComplete="current-password"
          required
        />
      )}
    </Field>
  )
}

/** Emails carry tokens in the URL fragment, which browsers do not send and servers do not log. */
export function tokenFromHash(): string {
  return new URLSearchParams(location.hash.slice(1)).get('token') ?? ''
}
