import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { IDP_ENTITY_ID, IDP_SSO_URL, metadataXml } from './identity-provider.fixture.ts'
import { readMetadata, unexpired } from './metadata.ts'
import { CURRENT, ELLIPTIC_CERTIFICATE, EXPIRED, ROLLOVER } from './saml-keys.fixture.ts'

const now = new Date('2026-03-01T12:00:00.000Z')

function reasonOf(text: string): string {
  const outcome = readMetadata(text, now)
  return outcome.valid ? 'valid' : outcome.reason
}

function providerOf(text: string) {
  const outcome = readMetadata(text, now)
  if (!outcome.valid) throw new Error(outcome.reason)
  return outcome.provider
}

describe('readMetadata', () => {
  it('reads entity id, sign-on URL and signing certificates of the provider', () => {
    expect(readMetadata(metadataXml(), now)).toEqual({
      valid: true,
      provider: {
        entityId: IDP_ENTITY_ID,
        ssoUrl: IDP_SSO_URL,
        binding: 'redirect',
        certificates: [CURRENT.certificate],
        certificateExpiresAt: new Date('2099-12-31T23:59:59.000Z'),
      },
    })
  })

  it('prefers the Redirect binding and falls back to POST', () => {
    expect(providerOf(metadataXml({ bindings: ['POST', 'Redirect'] })).binding).toBe('redirect')
    expect(providerOf(metadataXml({ bindings: ['POST'] })).binding).toBe('post')
    expect(reasonOf(metadataXml({ bindings: ['SOAP'] }))).toMatch(/SingleSignOnService/)
  })

  it('refuses a sign-on URL that is not http or https', () => {
    for (const location of ['javascript:alert(1)', 'data:text/html,x', '/sso', 'file:///etc']) {
      expect(reasonOf(metadataXml({ location }))).toMatch(/SingleSignOnService/)
    }
  })

  it('keeps all current certificates and drops expired ones', () => {
    const certificates = [EXPIRED.certificate, ROLLOVER.certificate, CURRENT.certificate]
    const provider = providerOf(metadataXml({ certificates }))
    expect(provider.certificates).toEqual([ROLLOVER.certificate, CURRENT.certificate])
    expect(provider.certificateExpiresAt.getUTCFullYear()).toBe(2099)
  })

  it('refuses a provider whose certificates have all expired', () => {
    expect(reasonOf(metadataXml({ certificates: [EXPIRED.certificate] }))).toMatch(/expired/)
  })

  it('removes duplicate certificates', () => {
    const certificates = Array.from({ length: 9 }, () => CURRENT.certificate)
    expect(providerOf(metadataXml({ certificates })).certificates).toHaveLength(1)
  })

  it('refuses a provider without a readable RSA signing certificate', () => {
    const without = [[], ['AAAA'], ['not base64!'], [ELLIPTIC_CERTIFICATE]]
    for (const certificates of without) {
      expect(reasonOf(metadataXml({ certificates }))).toMatch(/RSA signing certificate/)
    }
    expect(reasonOf(metadataXml({ keyUse: ' use="encryption"' }))).toMatch(/signing certificate/)
  })

  it('treats a key without a declared use as a signing key', () => {
    expect(providerOf(metadataXml({ keyUse: '' })).certificates).toHaveLength(1)
  })

  it('does not accept the rest of a certificate chain as signing certificates', () => {
    const chain = `${CURRENT.certificate}</ds:X509Certificate><ds:X509Certificate>${ROLLOVER.certificate}`
    expect(providerOf(metadataXml({ certificates: [chain] })).certificates).toEqual([
      CURRENT.certificate,
    ])
  })

  it('reads certificates with line breaks and comments', () => {
    const broken = CURRENT.certificate.replace(/.{64}/g, '$&\r\n  <!-- x --> ')
    expect(providerOf(metadataXml({ certificates: [broken] })).certificates).toEqual([
      CURRENT.certificate,
    ])
  })
})

describe('the metadata document', () => {
  it('may be a list with one identity provider, but not with several', () => {
    const wrap = (text: string) =>
      `<?xml version="1.0" encoding="UTF-8"?><!-- list --><md:EntitiesDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata">${text}</md:EntitiesDescriptor>`
    expect(providerOf(wrap(metadataXml())).entityId).toBe(IDP_ENTITY_ID)
    expect(reasonOf(wrap(metadataXml() + metadataXml()))).toMatch(/more than one/)
    expect(reasonOf(wrap(''))).toMatch(/IDPSSODescriptor/)
  })

  it('is refused if it is not metadata of an identity provider', () => {
    expect(reasonOf('')).toMatch(/refused/)
    expect(reasonOf('{"a":1}')).toMatch(/refused/)
    expect(reasonOf('<html/>')).toMatch(/EntityDescriptor/)
    expect(reasonOf('<EntityDescriptor entityID="x"/>')).toMatch(/EntityDescriptor/)
    expect(reasonOf(metadataXml().replaceAll('IDPSSO', 'SPSSO'))).toMatch(/IDPSSODescriptor/)
    expect(reasonOf(metadataXml({ entityId: '' }))).toMatch(/entityID/)
    expect(reasonOf(metadataXml({ entityId: 'x'.repeat(1025) }))).toMatch(/entityID/)
  })

  it('is refused after its validUntil', () => {
    const until = (time: string) => metadataXml({ attributes: ` validUntil="${time}"` })
    expect(reasonOf(until('2026-03-01T11:59:59Z'))).toMatch(/validUntil/)
    expect(reasonOf(until('whenever'))).toMatch(/validUntil/)
    expect(reasonOf(until('2026-03-01T12:00:01Z'))).toBe('valid')
  })
})

describe('hostile metadata', () => {
  it('with a DTD is refused before any entity is defined', () => {
    const laughs = `<!DOCTYPE lolz [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]>${metadataXml()}`
    const external = `<?xml version="1.0"?><!doctype x SYSTEM "file:///etc/passwd">${metadataXml()}`
    expect(reasonOf(laughs)).toMatch(/DTD/)
    expect(reasonOf(external)).toMatch(/DTD/)
  })

  it('that is huge or deep is refused before it is parsed', () => {
    const started = performance.now()
    const deep = '<a xmlns:b="c">'.repeat(60_000)
    expect(reasonOf(deep + '</a>'.repeat(60_000))).toMatch(/deeply/)
    // A quoted > does not end a tag, so this nests, too.
    expect(reasonOf('<a b="/>">'.repeat(60_000))).toMatch(/deeply/)
    expect(reasonOf(`<a>${'<b/>'.repeat(200_000)}</a>`)).toMatch(/too many/)
    expect(reasonOf(`<a${' xmlns:b="c"'.repeat(1_000)}/>`)).toMatch(/too large/)
    expect(reasonOf(`<a>${'<!--'.repeat(200_000)}`)).toMatch(/refused/)
    expect(reasonOf('<a "'.repeat(200_000))).toMatch(/refused/)
    // A quadratic time would be minutes.
    expect(performance.now() - started).toBeLessThan(30_000)
  })

  it('that a lenient parser would repair is refused', () => {
    const [head = '', tail = ''] = metadataXml().split('<md:IDPSSODescriptor')
    expect(reasonOf(`${head}<md:IDPSSODescriptor x=1${tail}`)).toMatch(/well-formed/)
    expect(reasonOf(metadataXml().slice(0, -1))).toMatch(/well-formed/)
    expect(reasonOf(metadataXml() + metadataXml())).toMatch(/well-formed/)
    expect(reasonOf(metadataXml().replace('entityID', 'x="&unknown;" entityID'))).toMatch(
      /well-formed/,
    )
  })

  it('never makes readMetadata throw', () => {
    const pieces = fc.constantFrom('<', '>', '/', '"', '&', '&amp;', '<!--', '-->', 'a', ' ', '=')
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 60 }), (parts) => {
        expect(readMetadata(parts.join(''), now).valid).toBe(false)
      }),
    )
  })

  it('that is truncated is refused', () => {
    const whole = metadataXml()
    fc.assert(
      fc.property(fc.integer({ min: 0, max: whole.length - 1 }), (length) => {
        expect(readMetadata(whole.slice(0, length), now).valid).toBe(false)
      }),
    )
  })
})

describe('unexpired', () => {
  it('drops a certificate at the instant it expires', () => {
    const both = [ROLLOVER.certificate, CURRENT.certificate]
    expect(unexpired(both, new Date('2090-12-31T23:59:58.999Z'))).toEqual(both)
    expect(unexpired(both, new Date('2090-12-31T23:59:59.000Z'))).toEqual([CURRENT.certificate])
  })
})
