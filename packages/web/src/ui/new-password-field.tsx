import { Field, Input } from './field.tsx'

type NewPasswordFieldProps = {
  label?: string
  /** Its name in the API. */
  name?: string
}

/** The form field is named `password`. Length limits: spec: platform §2.4. */
export function NewPasswordField({ label = 'Password', name = 'password' }: NewPasswordFieldProps) {
  return (
    <Field
      name={name}
      label={label}
      hint="At least 12 characters. A short sentence is easy to remember."
    >
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
