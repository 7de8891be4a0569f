import { type QueryKey, useMutation, useQueryClient } from '@tanstack/react-query'
import { messageOf } from '../ui/states.tsx'
import { useToast } from '../ui/toast.tsx'

export type Action<Input, Output> = {
  run: (input: Input) => Promise<Output>
  /** The toast after success; omitted if the page itself shows the result. */
  done?: (output: Output) => string
  /** The queries to invalidate: key prefixes, or a predicate on keys. */
  refresh: readonly QueryKey[] | ((key: QueryKey) => boolean)
  onDone?: (output: Output) => void
  /** True if the page shows the error itself; otherwise a toast does. */
  pageShowsError?: boolean
}

/** A mutation that reports its outcome in a toast and invalidates the queries it affects. */
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
