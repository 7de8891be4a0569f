import { describe, expect, it } from 'vitest'
import { startOpenIdIssuer, startSamlProvider } from '#harness/identity.ts'
import { readersDesk, readPage } from '#harness/reader.ts'

/** The mail is there when it is there; a machine may be slower than the page thinks. */
const MAILED = 'until grep -qs tsp_ .touchstone/outbox/*.eml; do sleep 0.1; done'

describe('the guide to signing in', () => {
  it('is typed from top to bottom, with an issuer, an identity provider and mails', async () => {
    const kim = { sub: 'kim', email: 'kim@example.org', email_verified: true, name: 'Kim' }
    const openId = await startOpenIdIssuer('touchstone-api')
    const saml = await startSamlProvider('ada@example.com')
    const told = await readPage(
      {
        page: 'docs/guide/sign-in.md',
        before: { 1: 'npm start' },
        words: {
          'sleep 2 ': `${MAILED} `,
          'https://login.example.com': openId.issuer,
          'ISSUERS_TOKEN=eyJ…': `ISSUERS_TOKEN=${await openId.tokenFor(kim)}`,
          'https://idp.example.com': saml.url,
          'CODE=tso_…': `CODE=${saml.codeFrom('$BASE/v1/auth/sso/$ORG/login')}`,
        },
        refused: [404],
      },
      await readersDesk({ ALLOW_LOOPBACK_EGRESS: 'true' }),
    )
    expect(told).toContain('"email":"owner@localhost"')
    expect(told).toContain('"email":"kim@example.org"')
    expect(told).toContain('"email":"ada@example.com"')
    expect(told).toContain('"target_email":"ann@example.com"')
    expect(told).toContain('"action":"impersonation.request"')
  })
})
