import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import type { FormEvent } from 'react'
import { api, signOut } from '../../session/session.ts'
import { Button } from '../../ui/button.tsx'
import { FormErrors } from '../../ui/form-errors.tsx'
import { NewPasswordField } from '../../ui/new-password-field.tsx'
import { useToast } from '../../ui/toast.tsx'
import { CurrentPasswordField } from './account-form.tsx'

export function PasswordForm() {
  const navigate = useNavigate()
  const toast = useToast()
  const change = useMutation({
    mutationFn: (body: { current_password: string; new_password: string }) =>
      api.request('POST', '/v1/auth/password', { body }),
    onSuccess: async () => {
      toast('Password changed. Sign in with the new password.')
      await signOut()
      await navigate({ to: '/sign-in' })
    },
  })
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    change.mutate({
      current_password: String(form.get('current')),
      new_password: String(form.get('password')),
    })
  }
  return (
    <form onSubmit={submit} className="grid gap-4">
      <FormErrors error={change.error} fields={['current_password', 'new_password']}>
        <CurrentPasswordField />
        <NewPasswordField label="New password" name="new_password" />
      </FormErrors>
      <div>
        <Button type="submit" busy={change.isPending}>
          Change password
        </Button>
      </div>
    </form>
  )
}
