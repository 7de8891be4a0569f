import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query'
import { messageOf } from '../ui/states.tsx'
import { useToast } from '../ui/toast.tsx'

export type Action<Input, Output> = {
  run: (input: Input) => Promise<Output>
  /** What to say once it is done; nothing where the page shows it. */
  done?: (output: Output) => string
  /** What has changed by it. */
  refresh: readonly QueryKey[]
  onDone?: (output: Output) => void
}

/** Something a person does: it says how it went, and what it changed is asked for again. */
export function useAction<Input = void, Output = unknown>(action: Action<Input, Output>) {
  const queries = useQueryClient()
  const toast = useToast()
  return useMutation({
    mutationFn: action.run,
    onSuccess: async (output) => {
      if (action.done !== undefined) toast(action.done(output))
      await Promise.all(action.refresh.map((queryKey) => queries.invalidateQueries({ queryKey })))
      action.onDone?.(output)
    },
    onError: (err) => toast(messageOf(err), 'bad'),
  })
}
