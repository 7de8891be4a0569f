import { describe, expect, it } from 'vitest'
import {
  assertionXml,
  encode,
  IDP_ENTITY_ID,
  IDP_SSO_URL,
  requestIdOf,
  responseXml,
  type SignInParts,
  sign,
  signedResponse,
} from './identity-provider.fixture.ts'
import type { IdentityProvider } from './metadata.ts'
import { loginStep, readResponse, serviceProviderMetadata } from './saml.ts'
import { CURRENT, EXPIRED, ROLLOVER } from './saml-keys.fixture.ts'

const now = new Date('2026-03-01T12:00:00.000Z')
const sp = {
  entityId: 'https://touchstone.test/v1/auth/sso/org-1/metadata',
  acsUrl: 'https://touchstone.test/v1/auth/sso/org-1/acs',
}
const provider: IdentityProvider = {
  entityId: IDP_ENTITY_ID,
  ssoUrl: IDP_SSO_URL,
  binding: 'redirect',
  certificates: [CURRENT.certificate],
  certificateExpiresAt: new Date('2099-12-31T23:59:59.000Z'),
}
const usual: SignInParts = {
  now,
  requestId: '_request1',
  acsUrl: sp.acsUrl,
  audience: sp.entityId,
}
const later = (ms: number) => new Date(now.getTime() + ms)

async function read(xml: string, changes: { provider?: IdentityProvider; now?: Date } = {}) {
  const context = {
    sp,
    provider,
    allowedDomains: ['example.com'],
    groupsClaim: 'groups',
    now,
    ...changes,
  }
  return readResponse(encode(xml), context)
}

async function refusalOf(xml: string, changes = {}): Promise<string> {
  const outcome = await read(xml, changes)
  return outcome.ok ? `accepted ${outcome.identity.email}` : outcome.refusal
}

async function identityOf(parts: Partial<SignInParts>) {
  const outcome = await read(signedResponse({ ...usual, ...parts }))
  if (!outcome.ok) throw new Error(outcome.refusal)
  return outcome.identity
}

describe('readResponse', () => {
  it('accepts one signed assertion for this service provider', async () => {
    expect(await read(signedResponse(usual))).toEqual({
      ok: true,
      identity: {
        assertionId: '_assertion1',
        inResponseTo: '_request1',
        expiresAt: later(360_000),
        nameId: 'ada@example.com',
        email: 'ada@example.com',
        name: null,
        groups: [],
      },
    })
  })

  it('accepts SHA-512, an additionally signed envelope, and any current certificate', async () => {
    const strong = { signature: 'sha512', digest: 'sha512' } as const
    expect((await read(signedResponse(usual, strong))).ok).toBe(true)
    expect((await read(sign(signedResponse(usual), 'Response'))).ok).toBe(true)
    const rolling = { ...provider, certificates: [CURRENT.certificate, ROLLOVER.certificate] }
    const signed = signedResponse(usual, { pair: ROLLOVER })
    expect((await read(signed, { provider: rolling })).ok).toBe(true)
  })

  it('refuses SHA-1 in signature or digest', async () => {
    expect(await refusalOf(signedResponse(usual, { signature: 'sha1' }))).toBe('weak_signature')
    expect(await refusalOf(signedResponse(usual, { digest: 'sha1' }))).toBe('weak_signature')
    const envelope = sign(signedResponse(usual), 'Response', { signature: 'sha1' })
    expect(await refusalOf(envelope)).toBe('weak_signature')
  })

  it('refuses an assertion that is not itself signed, even in a signed envelope', async () => {
    const unsigned = responseXml(usual, assertionXml(usual))
    expect(await refusalOf(unsigned)).toBe('assertion_not_signed')
    expect(await refusalOf(sign(unsigned, 'Response'))).toBe('assertion_not_signed')
  })

  it("refuses another key's signature, even if it includes that key's certificate", async () => {
    const signed = signedResponse(usual, { pair: ROLLOVER })
    const info = `<KeyInfo><X509Data><X509Certificate>${ROLLOVER.certificate}</X509Certificate></X509Data></KeyInfo></Signature>`
    expect(await refusalOf(signed)).toBe('signature_invalid')
    expect(await refusalOf(signed.replace('</Signature>', info))).toBe('signature_invalid')
  })

  it('refuses a signature of an expired certificate', async () => {
    const ended = { ...provider, certificates: [EXPIRED.certificate] }
    const signed = signedResponse(usual, { pair: EXPIRED })
    expect(await refusalOf(signed, { provider: ended })).toBe('certificate_expired')
    const both = { ...provider, certificates: [EXPIRED.certificate, CURRENT.certificate] }
    expect(await refusalOf(signed, { provider: both })).toBe('signature_invalid')
  })

  it('refuses a change to any signed part', async () => {
    const signed = signedResponse({ ...usual, attributes: { department: 'Engines' } })
    const parts = ['ada@example.com', 'Engines', sp.entityId, 'Method="urn', '_request1" NotOn']
    for (const part of parts) {
      const changed = signed.replace(part, part.replace(/[a-z](?=[^a-z]*$)/, 'x'))
      expect(changed).not.toBe(signed)
      expect(await refusalOf(changed)).not.toMatch(/accepted/)
    }
    const value = /<SignatureValue>(.)/.exec(signed)?.[1]
    const other = value === 'A' ? 'B' : 'A'
    const forged = signed.replace(/<SignatureValue>./, `<SignatureValue>${other}`)
    expect(await refusalOf(forged)).toBe('signature_invalid')
  })
})

describe('the claims of an assertion', () => {
  it('must have the expected issuer, audience and recipient', async () => {
    const wrong = { issuer: 'https://evil.test', audience: 'https://other.test', recipient: 'x' }
    for (const [field, value] of Object.entries(wrong)) {
      const refusal = await refusalOf(signedResponse({ ...usual, [field]: value }))
      expect(refusal).toBe(`wrong_${field}`)
    }
    const elsewhere = signedResponse({ ...usual, destination: 'https://other.test/acs' })
    expect(await refusalOf(elsewhere)).toBe('wrong_recipient')
  })

  it('are valid with 60 seconds of clock skew and not one millisecond more', async () => {
    const ended = (ms: number) => signedResponse({ ...usual, notOnOrAfter: later(ms) })
    const coming = (ms: number) => signedResponse({ ...usual, notBefore: later(ms) })
    expect(await refusalOf(ended(-59_999))).toMatch(/accepted/)
    expect(await refusalOf(ended(-60_000))).toBe('not_current')
    expect(await refusalOf(coming(60_000))).toMatch(/accepted/)
    expect(await refusalOf(coming(60_001))).toBe('not_current')
    const confirmed = signedResponse({ ...usual, confirmationEnd: later(-60_000) })
    expect(await refusalOf(confirmed)).toBe('not_current')
    const issued = signedResponse(usual)
    expect(await refusalOf(issued, { now: later(-60_001) })).toBe('not_current')
  })

  it('must state an authentication whose session has not ended', async () => {
    const without = signedResponse({ ...usual, statement: '' })
    expect(await refusalOf(without)).toBe('not_an_authentication')
    const statement = `<saml:AuthnStatement SessionNotOnOrAfter="${later(-60_000).toISOString()}"/>`
    expect(await refusalOf(signedResponse({ ...usual, statement }))).toBe('not_current')
  })

  it('must answer the same request as the envelope', async () => {
    const signed = signedResponse({ ...usual, confirmedRequestId: '_request2' })
    expect(await read(signed)).toEqual({ ok: false, refusal: 'request_mismatch', authentic: true })
  })
})

describe('a response', () => {
  it('is refused if the provider reports a failure', async () => {
    const status = 'urn:oasis:names:tc:SAML:2.0:status:Responder'
    expect(await refusalOf(signedResponse({ ...usual, status }))).toBe('provider_refused')
  })

  it('is refused if its assertion is encrypted', async () => {
    const encrypted =
      '<saml:EncryptedAssertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"/>'
    expect(await refusalOf(responseXml(usual, encrypted))).toBe('encrypted')
  })

  it('is refused if it is not a SAML response', async () => {
    const texts = ['', 'x', '<a/>', sign(assertionXml(usual), 'Assertion')]
    for (const text of texts) expect(await refusalOf(text)).toMatch(/unreadable|not_a_response/)
    const typed = `<!DOCTYPE x [<!ENTITY e "ada">]>${signedResponse(usual)}`
    expect(await refusalOf(typed)).toBe('unreadable')
    const bytes = Buffer.from([0xff, 0xfe, 0x3c, 0x00]).toString('base64')
    const context = { sp, provider, allowedDomains: ['example.com'], groupsClaim: 'groups', now }
    expect(await readResponse(bytes, context)).toMatchObject({ refusal: 'unreadable' })
  })
})

describe('the person in an assertion', () => {
  it('has the complete name, even if comments split it', async () => {
    const nameId = 'ada@example.com<!-- -->.evil.test'
    expect(await refusalOf(signedResponse({ ...usual, nameId }))).toBe('domain_not_allowed')
    const split = signedResponse(usual).replace('ada@exa', 'ada@<!-- x -->exa')
    const outcome = await read(split)
    expect(outcome).toMatchObject({ ok: true, identity: { nameId: 'ada@example.com' } })
  })

  it('has the address of a common attribute if the name is not an address', async () => {
    const claims = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress'
    for (const name of ['email', 'Mail', 'urn:oid:0.9.2342.19200300.100.1.3', claims]) {
      const identity = await identityOf({
        nameId: 'u-1815',
        nameIdFormat: 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
        attributes: { [name]: 'Ada@Example.com', displayName: 'Ada Lovelace' },
      })
      expect(identity).toMatchObject({
        nameId: 'u-1815',
        email: 'ada@example.com',
        name: 'Ada Lovelace',
      })
    }
  })

  it('must have an address in an allowed domain and a persistent name', async () => {
    const nameIdFormat = 'urn:oasis:names:tc:SAML:2.0:nameid-format:'
    const nobody = { ...usual, nameId: 'u-1', nameIdFormat: `${nameIdFormat}persistent` }
    expect(await refusalOf(signedResponse(nobody))).toBe('no_email')
    const passing = { ...usual, nameIdFormat: `${nameIdFormat}transient` }
    expect(await refusalOf(signedResponse(passing))).toBe('no_lasting_name')
    const domains = ['evil.test', 'sub.example.com', 'example.com.evil.test', 'xample.com']
    for (const domain of domains) {
      const stranger = signedResponse({ ...usual, nameId: `ada@${domain}` })
      expect(await refusalOf(stranger)).toBe('domain_not_allowed')
    }
  })
})

describe('the service provider', () => {
  it('redirects the browser to the provider with a request of the given id', async () => {
    const step = await loginStep(sp, provider, '_request1')
    expect(step.kind).toBe('redirect')
    const url = step.kind === 'redirect' ? step.url : ''
    expect(url.startsWith(`${IDP_SSO_URL}?SAMLRequest=`)).toBe(true)
    expect(requestIdOf(url)).toBe('_request1')
  })

  it('posts the request uncompressed if the provider has the POST binding', async () => {
    const step = await loginStep(sp, { ...provider, binding: 'post' }, '_request1')
    const html = step.kind === 'form' ? step.html : ''
    const value = /name="SAMLRequest" value="([^"]+)"/.exec(html)?.[1] ?? ''
    const request = Buffer.from(value, 'base64').toString('utf8')
    expect(html).toContain(`action="${IDP_SSO_URL}"`)
    expect(request).toContain('ID="_request1"')
    expect(request).toContain(`AssertionConsumerServiceURL="${sp.acsUrl}"`)
  })

  it('publishes the same metadata each time', () => {
    const xml = serviceProviderMetadata(sp)
    expect(xml).toContain(`entityID="${sp.entityId}"`)
    expect(xml).toContain(`Location="${sp.acsUrl}"`)
    expect(xml).toContain('WantAssertionsSigned="true"')
    expect(serviceProviderMetadata(sp)).toBe(xml)
  })
})
