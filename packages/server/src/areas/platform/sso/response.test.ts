import { describe, expect, it } from 'vitest'
import {
  assertionXml,
  IDP_ENTITY_ID,
  responseXml,
  type SignInParts,
  sign,
  signedResponse,
} from './identity-provider.fixture.ts'
import { inspectResponse } from './response.ts'

const expected = { entityId: IDP_ENTITY_ID, acsUrl: 'https://touchstone.test/acs' }
const usual: SignInParts = {
  now: new Date('2026-03-01T12:00:00.000Z'),
  requestId: '_request1',
  acsUrl: expected.acsUrl,
  audience: 'https://touchstone.test/metadata',
}
const signed = signedResponse(usual)

function inspect(xml: string): string {
  const outcome = inspectResponse(xml, expected)
  return outcome.ok ? outcome.assertionId : outcome.refusal
}

/** The SAML library refuses some of these, too; these checks do not rely on it. */
describe('inspectResponse', () => {
  it('returns assertion and request ids of a valid response', () => {
    const outcome = { ok: true, assertionId: '_assertion1', inResponseTo: '_request1' }
    expect(inspectResponse(signed, expected)).toEqual(outcome)
    expect(inspect(sign(signed, 'Response'))).toBe('_assertion1')
  })

  it('refuses two elements with the same id, whichever attribute holds it', () => {
    for (const attribute of ['ID', 'Id', 'id', 'xml:id']) {
      const twin = `<samlp:Extensions ${attribute}="_assertion1"/></samlp:Response>`
      expect(inspect(signed.replace('</samlp:Response>', twin))).toBe('signature_shape')
    }
  })

  it('refuses comments, instructions and CDATA within a signature', () => {
    for (const remark of ['<!--x-->', '<?x y?>', '<![CDATA[x]]>']) {
      for (const tag of ['<DigestValue>', '<SignatureValue>', '<SignedInfo>', '<Transforms>']) {
        expect(inspect(signed.replace(tag, tag + remark))).toBe('signature_shape')
      }
    }
  })

  it('refuses ids that could escape the XPath query of a verifier', () => {
    const quoted = signedResponse({ ...usual, assertionId: '_a' }).replaceAll('_a"', `_a' or '1"`)
    expect(inspect(quoted)).toBe('signature_shape')
  })

  it('refuses a response with too many elements', () => {
    const groups = Array.from({ length: 800 }, (_, n) => [`group${n}`, 'x'])
    const attributes = Object.fromEntries(groups)
    expect(inspect(responseXml(usual, assertionXml({ ...usual, attributes })))).toBe('unreadable')
  })
})
