/** What is in memory is there at once; only what is not is waited for. */
export type Prompt<T> = T | Promise<T>

/** Goes on with it at once where it is there: on a hot way every needless wait is felt. */
export function promptly<T, U>(value: Prompt<T>, next: (value: T) => Prompt<U>): Prompt<U> {
  return value instanceof Promise ? value.then(next) : next(value)
}
