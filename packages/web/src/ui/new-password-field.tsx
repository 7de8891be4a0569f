import { Field, Input } from './field.tsx'

/** Named `password` in its form. The length is the service's rule (04 §2.4). */
export function NewPasswordField({ label = 'Password' }: { label?: string }) {
  return (
    <Field label={label} hint="At least 12 characters. A sentence is easier to keep than a puzzle.">
      {(control) => (
        <Input
          {...control}
          name="password"
          type="password"
          autoComplete="new-password"
          minLength={12}
          maxLength={128}
          required
        />
      )}
    </Field>
  )
}
