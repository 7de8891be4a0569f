import { ApiError } from '@touchstone/sdk'

/** Whether an answer was refused because somebody else answered the call, or its time ran out. */
export function isEnded(error: unknown): boolean {
  return error instanceof ApiError && error.status === 409
}
