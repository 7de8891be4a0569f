import { ApiError } from '@touchstone/sdk'
import { createContext, type ReactNode, useContext } from 'react'
import { fieldErrors } from './field-errors.ts'
import { ErrorState } from './states.tsx'

const Errors = createContext<ReadonlyMap<string, string>>(new Map())

/** The error of a field inside `FormErrors`. */
export function useFieldError(name: string | undefined): string | undefined {
  const errors = useContext(Errors)
  return name === undefined ? undefined : errors.get(name)
}

type FormErrorsProps = {
  error: unknown
  /** The names of the fields that show their own errors. */
  fields: readonly string[]
  children: ReactNode
}

/** Shows the errors of a form at their fields, and below it an error that belongs to none of them. */
export function FormErrors({ error, fields, children }: FormErrorsProps) {
  const found = error instanceof ApiError ? fieldErrors(error, fields) : new Map<string, string>()
  return (
    <Errors.Provider value={found}>
      {children}
      {error === null || error === undefined || found.size > 0 ? null : (
        <ErrorState error={error} />
      )}
    </Errors.Provider>
  )
}
