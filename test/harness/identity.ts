import { generateKeyPairSync } from 'node:crypto'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { SignJWT } from 'jose'
import {
  encode,
  metadataXml,
  requestOf,
  signedResponse,
} from '../../packages/server/src/areas/platform/sso/identity-provider.fixture.ts'
import { onFileFinished } from './on-file-finished.ts'

/** Starts a local OpenID Connect issuer with discovery. */
export async function startOpenIdIssuer(audience: string) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const keys = [{ ...publicKey.export({ format: 'jwk' }), kid: 'k1', use: 'sig', alg: 'ES256' }]
  const issuer = await serve((req, res) => {
    const isDiscovery = req.url?.startsWith('/.well-known/')
    res.end(JSON.stringify(isDiscovery ? { issuer, jwks_uri: `${issuer}/keys` } : { keys }))
  })
  return {
    issuer,
    /** Signs a token that is valid for an hour; the claims override the defaults. */
    tokenFor(claims: Record<string, unknown>, now = new Date()): Promise<string> {
      const iat = Math.floor(now.getTime() / 1000)
      const usual = { iss: issuer, aud: audience, sub: 'someone', iat, exp: iat + 3600 }
      return new SignJWT({ ...usual, ...claims })
        .setProtectedHeader({ alg: 'ES256', kid: 'k1' })
        .sign(privateKey)
    },
  }
}

/**
 * Starts a SAML identity provider that signs everybody in as the same person, with a
 * self-submitting form.
 */
export async function startSamlProvider(nameId: string) {
  const url: string = await serve((req, res) => {
    const asked = `${url}${req.url}`
    if (req.url === '/metadata') return void res.end(metadataXml({ location: `${url}/sso` }))
    if (req.url?.startsWith('/browser') === true) {
      const login = new URL(asked).searchParams.get('login') ?? ''
      return void signIn(login, nameId).then(
        (code) => res.end(code),
        (err) => res.writeHead(500).end(String(err)),
      )
    }
    res.setHeader('content-type', 'text/html')
    res.end(`<form method="post" action="${requestOf(asked).acsUrl}">
      <input name="SAMLResponse" value="${answerTo(asked, nameId)}"></form>
      <script>document.forms[0].submit()</script>`)
  })
  return {
    url,
    /** Shell code that prints the code and the cookie a browser would return with from this login URL. */
    codeFrom: (login: string) => `$(command curl -sSG "${url}/browser" -d "login=${login}")`,
  }
}

function answerTo(asked: string, nameId: string): string {
  const { id: requestId, acsUrl, issuer: audience } = requestOf(asked)
  return encode(signedResponse({ now: new Date(), requestId, acsUrl, audience, nameId }))
}

/**
 * Follows the redirects of a browser: to the service, to the provider, and back with its response.
 */
async function signIn(login: string, nameId: string): Promise<string> {
  const toProvider = await fetch(login, { redirect: 'manual' })
  const asked = toProvider.headers.get('location') ?? ''
  const back = await fetch(requestOf(asked).acsUrl, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ SAMLResponse: answerTo(asked, nameId) }),
  })
  const code = new URL(back.headers.get('location') ?? '').searchParams.get('code') ?? ''
  const [cookie = ''] = (toProvider.headers.get('set-cookie') ?? '').split(';')
  return `${code} ${cookie}`
}

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onFileFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  // The cast holds because address() returns a string only for pipes.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
