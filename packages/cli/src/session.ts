import { type Client, createClient } from '@touchstone/sdk'
import { reasonOf } from './failure.ts'
import type { Io } from './io.ts'
import { readSecret } from './read-secret.ts'

/** Signs in with a password from standard input, runs `work` and signs out. */
export async function withSession<T>(
  { url, email }: { url: string; email: string },
  io: Io,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const password = await readSecret('Password', io)
  const anonymous = createClient({ baseUrl: url })
  const session = await anonymous.request('POST', '/v1/auth/login', { body: { email, password } })
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
