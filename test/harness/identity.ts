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
import { atEnd } from './at-end.ts'

/** An OpenID Connect issuer on this machine, found by discovery. */
export async function startOpenIdIssuer(audience: string) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const keys = [{ ...publicKey.export({ format: 'jwk' }), kid: 'k1', use: 'sig', alg: 'ES256' }]
  const issuer = await serve((req, res) => {
    const isDiscovery = req.url?.startsWith('/.well-known/')
    res.end(JSON.stringify(isDiscovery ? { issuer, jwks_uri: `${issuer}/keys` } : { keys }))
  })
  return {
    issuer,
    /** For an hour, to somebody unless the claims say whom. */
    tokenFor(claims: Record<string, unknown>, now = new Date()): Promise<string> {
      const iat = Math.floor(now.getTime() / 1000)
      const usual = { iss: issuer, aud: audience, sub: 'someone', iat, exp: iat + 3600 }
      return new SignJWT({ ...usual, ...claims })
        .setProtectedHeader({ alg: 'ES256', kid: 'k1' })
        .sign(privateKey)
    },
  }
}

/** A SAML identity provider that signs everybody in as one, with a form that posts itself. */
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
    /** Shell words that give the code a browser would come back with from this address. */
    codeFrom: (login: string) => `$(command curl -sSG "${url}/browser" -d "login=${login}")`,
  }
}

function answerTo(asked: string, nameId: string): string {
  const { id: requestId, acsUrl, issuer: audience } = requestOf(asked)
  return encode(signedResponse({ now: new Date(), requestId, acsUrl, audience, nameId }))
}

/** As a browser goes: to the service, to the provider, and back with its answer. */
async function signIn(login: string, nameId: string): Promise<string> {
  const toProvider = await fetch(login, { redirect: 'manual' })
  const asked = toProvider.headers.get('location') ?? ''
  const back = await fetch(requestOf(asked).acsUrl, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ SAMLResponse: answerTo(asked, nameId) }),
  })
  return new URL(back.headers.get('location') ?? '').searchParams.get('code') ?? ''
}

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  atEnd(() => {
    server.closeAllConnections()
    server.close()
  })
  // A TCP server's address is an object; text is for pipes.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}
