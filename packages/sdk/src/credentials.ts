type Token = string | undefined

export type CredentialOptions = {
  /** An API key or a session token. */
  token?: string
  /** Called before every request; replaces `token`. */
  getToken?: () => Token | Promise<Token>
  /**
   * Called once when a request is answered with 401. Return a fresh token to retry the request, or
   * undefined to keep the 401. Concurrent requests that fail share one call.
   */
  onUnauthorised?: () => Token | Promise<Token>
}

export type Credentials = {
  current(): Promise<Token>
  /** Returns a token other than the rejected one, renewing it if necessary. */
  replace(rejected: Token): Promise<Token>
}

export function createCredentials(options: CredentialOptions): Credentials {
  const { getToken, onUnauthorised } = options
  let renewed: Token
  let renewal: Promise<Token> | undefined

  const current = async () => (getToken ? await getToken() : (renewed ?? options.token))

  async function renew(): Promise<Token> {
    try {
      renewed = await onUnauthorised?.()
      return renewed
    } finally {
      renewal = undefined
    }
  }

  return {
    current,
    async replace(rejected) {
      if (onUnauthorised === undefined) return undefined
      const now = await current()
      // Another request has already renewed the token while this one was in flight.
      if (now !== undefined && now !== rejected) return now
      renewal ??= renew()
      return renewal
    },
  }
}
