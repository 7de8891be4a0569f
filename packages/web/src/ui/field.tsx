import { type ComponentProps, type ReactNode, useId } from 'react'
import { classNames } from './class-names.ts'
import { useFieldError } from './form-errors.tsx'

const CONTROL =
  'w-full rounded-md border border-line-strong bg-raised px-3 py-1.5 text-sm text-ink placeholder:text-ink-faint aria-invalid:border-bad disabled:opacity-60'

type Control = { id: string; 'aria-describedby'?: string; 'aria-invalid'?: true }

export type FieldProps = {
  label: ReactNode
  hint?: ReactNode
  error?: string | undefined
  /** The name of the field in the API, at which `FormErrors` shows its errors. */
  name?: string
  className?: string
  children: (control: Control) => ReactNode
}

/** A label, its control and its hint or error, associated for assistive technology. */
export function Field({ label, hint, error: given, name, className, children }: FieldProps) {
  const found = useFieldError(name)
  const error = given ?? found
  const id = useId()
  const described = error === undefined && hint === undefined ? undefined : `${id}-note`
  return (
    <div className={classNames('grid gap-1', className)}>
      <label htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
      {children({
        id,
        ...(described === undefined ? {} : { 'aria-describedby': described }),
        ...(error === undefined ? {} : { 'aria-invalid': true }),
      })}
      {described === undefined ? null : (
        <p id={described} className={classNames('text-xs', error ? 'text-bad' : 'text-ink-faint')}>
          {error ?? hint}
        </p>
      )}
    </div>
  )
}

export function Input({ className, ...rest }: ComponentProps<'input'>) {
  return <input {...rest} className={classNames(CONTROL, 'min-h-9', className)} />
}

export function Select({ className, ...rest }: ComponentProps<'select'>) {
  return <select {...rest} className={classNames(CONTROL, 'min-h-9', className)} />
}

export function TextArea({ className, ...rest }: ComponentProps<'textarea'>) {
  return <textarea {...rest} className={classNames(CONTROL, 'min-h-24', className)} />
}
