/** fetch with a message for readers: browsers have different and terse ones for a failed request. */
export const reach: typeof fetch = async (input, init) => {
  try {
    return await fetch(input, init)
  } catch (cause) {
    if (init?.signal?.aborted === true) throw cause
    const message = 'The service cannot be reached. Check your connection, then try again.'
    // Of the kind that fetch throws, because the client retries no other.
    throw new TypeError(message, { cause })
  }
}
