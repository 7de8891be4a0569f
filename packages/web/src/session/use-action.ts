import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query'
import { messageOf } from '../ui/states.tsx'
import { useToast } from '../ui/toast.tsx'

export type Action<Input, Output> = {
  run: (input: Input) => Promise<Output>
  /** What to say once it is done; nothing where the page shows it. */
  done?: (output: Output) => string
  /** What has changed by it: the beginnings of keys, or which keys. */
  refresh: readonly QueryKey[] | ((key: QueryKey) => boolean)
  onDone?: (output: Output) => void
  /** Where it stands beside the button; elsewhere it is said as news are. */
  pageShowsError?: boolean
}

/** Something a person does: it says how it went, and what it changed is asked for again. */
export function useAction<Input = void, Output = unknown>(action: Action<Input, Output>) {
  const queries = useQueryClient()
  const toast = useToast()
  const { refresh } = action
  return useMutation({
    mutationFn: action.run,
    onSuccess: async (output) => {
      if (action.done !== undefined) toast(action.done(output))
      await (typeof refresh === 'function'
        ? queries.invalidateQueries({ predicate: ({ queryKey }) => refresh(queryKey) })
        : Promise.all(refresh.map((queryKey) => queries.invalidateQueries({ queryKey }))))
      action.onDone?.(output)
    },
    onError: (err) => {
      if (action.pageShowsError !== true) toast(messageOf(err), 'bad')
    },
  })
}
