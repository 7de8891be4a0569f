/** fetch with a message for readers: browsers have different and terse ones for a failed request. */
export const fetchWithMessage: typeof fetch = async (input, init) => {
  try {
    return await fetch(input, init)
  } catch (cause) {
    if (init?.signal?.aborted === true) throw cause
    const message = 'The service cannot be reached. Check your connection, then try again.'
    // A TypeError, as fetch throws it, because the client retries no other error.
    throw new TypeError(message, { cause })
  }
}
