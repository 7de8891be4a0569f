import { describe, expect, it } from 'vitest'
import { startOpenIdIssuer, startSamlProvider } from '#harness/identity.ts'
import { startOidcProvider } from '#harness/oidc-provider.ts'
import { readersDesk, readPage } from '#harness/reader.ts'

/** Waits for the mail instead of sleeping, because the test machine may be slow. */
const MAILED = `MAILS=$((\${MAILS:-0}+1)); until [ "$(ls .touchstone/outbox/*.eml 2>/dev/null | wc -l)" -ge $MAILS ]; do sleep 0.1; done`

describe('the guide to signing in', () => {
  it('runs from top to bottom, with an OpenID issuer, a SAML identity provider and mails', async () => {
    const kim = { sub: 'kim', email: 'kim@example.org', email_verified: true, name: 'Kim' }
    const openId = await startOpenIdIssuer('touchstone-api')
    const saml = await startSamlProvider('ada@example.com')
    const oidc = await startOidcProvider({ id: 'touchstone', secret: 'from the provider' })
    const output = await readPage(
      {
        page: 'docs/guide/sign-in.md',
        before: { 1: 'npm start' },
        words: {
          'sleep 2 ': `${MAILED} `,
          'https://login.example.com': openId.issuer,
          'ISSUERS_TOKEN=eyJ…': `ISSUERS_TOKEN=${await openId.tokenFor(kim)}`,
          'https://idp.example.com': saml.url,
          'https://sso.example.com': oidc.issuer,
          'CODE=tso_…': `BACK=${saml.codeFrom('$BASE/v1/auth/sso/$ORG/login')}; CODE=\${BACK% *}`,
          'COOKIE=touchstone-sso=…': `COOKIE=\${BACK#* }`,
        },
        refused: [404],
      },
      await readersDesk({ ALLOW_LOOPBACK_EGRESS: 'true' }),
    )
    expect(output).toContain('"email":"owner@localhost"')
    expect(output).toContain('"email":"kim@example.org"')
    expect(output).toContain(`"issuer":"${oidc.issuer}"`)
    expect(output).toContain('"email":"ada@example.com"')
    expect(output).toContain('"target_email":"ann@example.com"')
    expect(output).toContain('"action":"impersonation.request"')
  })
})
