import { type Answer, type Client, createClient } from '@touchstone/sdk'
import type { Io } from './io.ts'
import { createSecretReader } from './read-secret.ts'
import { reasonOf } from './reason.ts'

type Tokens = Answer<'POST', '/v1/auth/refresh'>

/**
 * Signs in with a password from standard input, and with a code from its next line if the account
 * has a second factor. Runs `work` and signs out.
 */
export async function withSession<T>(
  { url, email }: { url: string; email: string },
  io: Io,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const session = await signIn(createClient({ baseUrl: url }), email, io)
  const client = createClient({ baseUrl: url, token: session.access_token })
  try {
    return await work(client)
  } finally {
    const body = { refresh_token: session.refresh_token }
    // A failed logout must not hide the result of the work; the session expires by itself.
    await client
      .request('POST', '/v1/auth/logout', { body })
      .catch((err: unknown) => io.note(`The session could not be ended: ${reasonOf(err)}`))
  }
}

async function signIn(client: Client, email: string, io: Io): Promise<Tokens> {
  const secrets = createSecretReader(io)
  try {
    const password = await secrets.read('Password')
    const answer = await client.request('POST', '/v1/auth/login', { body: { email, password } })
    if (!('mfa_required' in answer)) return answer
    const code = await secrets.read('Code of your authenticator app, or a recovery code')
    const body = { challenge_token: answer.challenge_token, code }
    return await client.request('POST', '/v1/auth/login/second-factor', { body })
  } finally {
    secrets.close()
  }
}
