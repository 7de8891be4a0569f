type Token = string | undefined

export type CredentialOptions = {
  /** An API key or a session token. */
  token?: string
  /** Asked before every request, instead of `token`. */
  getToken?: () => Token | Promise<Token>
  /**
   * Asked once when a request was answered 401; gives a fresh token to send it again with, or
   * undefined to let the 401 stand. Requests that fail at the same time wait for one answer.
   */
  onUnauthorised?: () => Token | Promise<Token>
}

export type Credentials = {
  current(): Promise<Token>
  /** A token other than the one that was refused. */
  replace(refused: Token): Promise<Token>
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
    async replace(refused) {
      if (onUnauthorised === undefined) return undefined
      const now = await current()
      // Another request has renewed it while this one was under way.
      if (now !== undefined && now !== refused) return now
      renewal ??= renew()
      return renewal
    },
  }
}
