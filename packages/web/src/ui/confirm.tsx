import type { UseMutationResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { ErrorState } from './states.tsx'

export type ConfirmProps<Input> = {
  open: boolean
  onClose: () => void
  title: string
  /** The button label: a verb such as "Revoke", not "OK". */
  action: string
  mutation: Pick<UseMutationResult<unknown, Error, Input>, 'mutate' | 'isPending' | 'error'>
  input: Input | undefined
  children: ReactNode
}

/**
 * Asks for confirmation before an irreversible action; stays open and shows the error on failure.
 */
export function Confirm<Input>(props: ConfirmProps<Input>) {
  const { open, onClose, title, action, mutation, input, children } = props
  return (
    <Dialog open={open} onClose={onClose} title={title}>
      <p>{children}</p>
      {mutation.error ? <ErrorState error={mutation.error} /> : null}
      <div className="flex justify-end gap-2">
        <Button tone="quiet" onClick={onClose}>
          Cancel
        </Button>
        <Button
          tone="danger"
          busy={mutation.isPending}
          onClick={() => input !== undefined && mutation.mutate(input, { onSuccess: onClose })}
        >
          {action}
        </Button>
      </div>
    </Dialog>
  )
}
