/** Returns the message of the innermost cause, because fetch itself only reports that it failed. */
export function reasonOf(err: unknown): string {
  if (!(err instanceof Error)) return String(err)
  if (err instanceof AggregateError && err.errors.length > 0) return reasonOf(err.errors[0])
  return err.cause === undefined ? err.message : reasonOf(err.cause)
}

/** The loopback addresses, as Node writes them into the error of a refused connection. */
const NOBODY_LISTENS_HERE = /^connect ECONNREFUSED (127\.|::1)/

/** The reason why the service cannot be reached; says how to start one on this machine. */
export function unreachableReason(err: unknown): string {
  const reason = reasonOf(err)
  return NOBODY_LISTENS_HERE.test(reason)
    ? `${reason}. Start it with "touchstone serve", in a clone of the repository with "npm start".`
    : reason
}
