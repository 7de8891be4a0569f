import { generateKeyPairSync } from 'node:crypto'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import Provider from 'oidc-provider'
import { onFileFinished } from './on-file-finished.ts'

/**
 * Starts a certified OpenID provider, which somebody else wrote, with its own sign-in and consent
 * pages. Whoever signs in with a login has the address of that name and is in the group `it`.
 */
export async function startCertifiedProvider(client: { id: string; secret: string }) {
  let answer: RequestListener = (_req, res) => void res.writeHead(503).end()
  const server = createServer((req, res) => answer(req, res))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onFileFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  // The cast holds because address() returns a string only for pipes.
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const keys = [{ ...privateKey.export({ format: 'jwk' }), kid: 'k1', use: 'sig' }]
  /** Its clients are fixed when it is built, so another redirect URI needs another one. */
  const register = (redirectUri: string): void => {
    answer = new Provider(issuer, configuration({ ...client, redirectUri }, keys)).callback()
  }
  register('http://127.0.0.1/unknown-yet')
  return { issuer, register }
}

function configuration(
  client: { id: string; secret: string; redirectUri: string },
  keys: readonly object[],
) {
  return {
    clients: [
      {
        client_id: client.id,
        client_secret: client.secret,
        redirect_uris: [client.redirectUri],
        grant_types: ['authorization_code'],
        response_types: ['code'],
      },
    ],
    claims: {
      openid: ['sub'],
      email: ['email', 'email_verified'],
      profile: ['name'],
      groups: ['groups'],
    },
    // As the standard says, claims of scopes come from the UserInfo endpoint only.
    conformIdTokenClaims: true,
    pkce: { required: () => true },
    jwks: { keys },
    cookies: { keys: ['of the test'] },
    findAccount: (_context: unknown, login: string) => ({
      accountId: login,
      claims: () => ({
        sub: login,
        email: `${login}@example.net`,
        email_verified: true,
        name: 'Ada Lovelace',
        groups: ['it'],
      }),
    }),
  }
}
