import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { ApiError } from '@touchstone/sdk'
import { unreachableReason } from '../reason.ts'

/** Returns a response as text and as data, and an API error as a tool error that the model can read. */
export async function toToolResult<T extends object>(
  answer: Promise<T>,
  describe: (value: T) => string,
): Promise<CallToolResult> {
  let value: T
  try {
    value = await answer
  } catch (err) {
    const text =
      err instanceof ApiError
        ? `${err.message} (${err.code})`
        : `The service does not answer: ${unreachableReason(err)}`
    return { content: [{ type: 'text', text }], isError: true }
  }
  const data: object = value
  return { content: [{ type: 'text', text: describe(value) }], structuredContent: { ...data } }
}

/** Optional members that are undefined are removed, because the API types do not allow undefined. */
type Present<T> = { [K in keyof T]: Exclude<T[K], undefined> }

export function withoutUndefined<T extends object>(options: T): Present<T> {
  // The cast says what the filter does.
  return Object.fromEntries(
    Object.entries(options).filter(([, value]) => value !== undefined),
  ) as Present<T>
}
