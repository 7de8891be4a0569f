import { useMutation } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import type { FormEvent } from 'react'
import { acceptTokens, api, publicApi } from '../../session/session.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { Field, Input } from '../../ui/field.tsx'
import { Page } from '../../ui/page.tsx'
import { ErrorState } from '../../ui/states.tsx'

export function SignInPage() {
  const { next } = useSearch({ from: '/site/sign-in' })
  const navigate = useNavigate()
  const signIn = useMutation({
    mutationFn: async (body: { email: string; password: string }) => {
      acceptTokens(await publicApi.request('POST', '/v1/auth/login', { body }))
      return api.request('GET', '/v1/auth/me')
    },
    onSuccess: (me) => {
      const org = me.orgs[0]
      if (next?.startsWith('/o/')) return navigate({ href: next })
      return org === undefined
        ? navigate({ to: '/' })
        : navigate({ to: '/o/$orgId', params: { orgId: org.org_id } })
    },
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    signIn.mutate({ email: String(form.get('email')), password: String(form.get('password')) })
  }
  return (
    <Page title="Sign in">
      <Card className="max-w-md">
        <form onSubmit={submit} className="grid gap-4">
          <Field label="E-mail">
            {(control) => (
              <Input {...control} name="email" type="email" autoComplete="username" required />
            )}
          </Field>
          <Field label="Password">
            {(control) => (
              <Input
                {...control}
                name="password"
                type="password"
                autoComplete="current-password"
                required
              />
            )}
          </Field>
          {signIn.error ? <ErrorState error={signIn.error} /> : null}
          <Button type="submit" tone="primary" busy={signIn.isPending}>
            Sign in
          </Button>
        </form>
      </Card>
    </Page>
  )
}
