import { describe, expect, it } from 'vitest'
import { judgeAssertion } from './assertion.ts'
import { assertionXml, IDP_ENTITY_ID, type SignInParts } from './identity-provider.fixture.ts'

const now = new Date('2026-03-01T12:00:00.000Z')
const expected = {
  now,
  assertionId: '_assertion1',
  entityId: IDP_ENTITY_ID,
  spEntityId: 'https://touchstone.test/metadata',
  acsUrl: 'https://touchstone.test/acs',
  allowedDomains: ['example.com'],
  groupsClaim: 'groups',
}
const usual: SignInParts = {
  now,
  requestId: '_request1',
  acsUrl: expected.acsUrl,
  audience: expected.spEntityId,
}

function judge(parts: Partial<SignInParts>, change = (xml: string) => xml): string {
  const outcome = judgeAssertion(change(assertionXml({ ...usual, ...parts })), expected)
  return outcome.ok ? outcome.identity.email : outcome.refusal
}

describe('judgeAssertion', () => {
  it('accepts a current assertion by the expected issuer for this service provider', () => {
    expect(judge({})).toBe('ada@example.com')
  })

  it('reads only the assertion whose shape was checked', () => {
    expect(judge({ assertionId: '_assertion2' })).toBe('unreadable')
    expect(judgeAssertion('<x/>', expected)).toMatchObject({ refusal: 'unreadable' })
  })

  it('refuses an assertion from the future', () => {
    const issued = (ms: number) => judge({ issuedAt: new Date(now.getTime() + ms) })
    expect(issued(60_000)).toBe('ada@example.com')
    expect(issued(60_001)).toBe('not_current')
  })

  it('refuses a confirmation method other than bearer', () => {
    expect(judge({ method: 'holder-of-key' })).toBe('wrong_recipient')
  })

  it('refuses unreadable times and a confirmation without an expiry', () => {
    const time = now.toISOString()
    expect(judge({}, (xml) => xml.replace(`NotBefore="${time}"`, 'NotBefore="soon"'))).toBe(
      'not_current',
    )
    expect(judge({}, (xml) => xml.replace(/NotOnOrAfter="[^"]+" Recipient/, 'Recipient'))).toBe(
      'wrong_recipient',
    )
    expect(judge({}, (xml) => xml.replace(/IssueInstant="[^"]+"/, ''))).toBe('unreadable')
  })

  it('requires our entity id in every audience restriction, not only in one', () => {
    const other =
      '<saml:AudienceRestriction><saml:Audience>https://other.test</saml:Audience></saml:AudienceRestriction></saml:Conditions>'
    expect(judge({}, (xml) => xml.replace('</saml:Conditions>', other))).toBe('wrong_audience')
    const none = /<saml:AudienceRestriction>.*<\/saml:AudienceRestriction>/
    expect(judge({}, (xml) => xml.replace(none, ''))).toBe('wrong_audience')
  })

  it('refuses duplicate elements', () => {
    const twice = (part: RegExp) => judge({}, (xml) => xml.replace(part, '$&$&'))
    expect(twice(/<saml:Issuer>.*<\/saml:Issuer>/)).toBe('wrong_issuer')
    expect(twice(/<saml:NameID.*<\/saml:NameID>/)).toBe('no_lasting_name')
    expect(twice(/<saml:Conditions.*<\/saml:Conditions>/)).toBe('unreadable')
    expect(twice(/<saml:Subject>.*<\/saml:Subject>/)).toBe('wrong_recipient')
  })

  it('finds the bearer confirmation for our address among others', () => {
    const xml = (text: string) =>
      text.replace(
        '<saml:SubjectConfirmation ',
        '<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"/><saml:SubjectConfirmation ',
      )
    expect(judge({}, xml)).toBe('ada@example.com')
  })
})

describe('the name of a person', () => {
  const read = (parts: Partial<SignInParts>, changes: { groupsClaim?: string } = {}) =>
    judgeAssertion(assertionXml({ ...usual, ...parts }), { ...expected, ...changes })
  const XMLSOAP = 'http://schemas.xmlsoap.org/ws/2005/05/identity/claims'
  const nameIn = (attributes: Record<string, string>) => {
    const outcome = read({ attributes })
    return outcome.ok ? outcome.identity.name : outcome.refusal
  }

  it.each([
    [{ displayName: 'Ada Lovelace' }],
    [{ 'urn:oid:2.16.840.1.113730.3.1.241': 'Ada Lovelace' }],
    [{ 'http://schemas.microsoft.com/identity/claims/displayname': 'Ada Lovelace' }],
    [{ [`${XMLSOAP}/name`]: 'Ada Lovelace' }],
    [{ 'urn:oid:2.5.4.3': 'Ada Lovelace' }],
    [{ [`${XMLSOAP}/givenname`]: 'Ada', [`${XMLSOAP}/surname`]: 'Lovelace' }],
    [{ givenName: 'Ada', sn: 'Lovelace' }],
    [{ 'urn:oid:2.5.4.42': 'Ada', 'urn:oid:2.5.4.4': 'Lovelace' }],
    // Entra ID sends the account as the name.
    [{ [`${XMLSOAP}/name`]: 'ADA@example.com', givenname: 'Ada', surname: 'Lovelace' }],
    [{ [`${XMLSOAP}/name`]: 'ada@example.com', displayName: 'Ada Lovelace' }],
  ])('is read from %j', (attributes) => {
    expect(nameIn(attributes)).toBe('Ada Lovelace')
  })

  it('is the account if there is nothing better, and null if there is nothing', () => {
    expect(nameIn({ [`${XMLSOAP}/name`]: 'ada@example.com' })).toBe('ada@example.com')
    expect(nameIn({})).toBeNull()
  })

  it('comes with the groups of the configured or, by default, a common attribute', () => {
    const claim = 'http://schemas.microsoft.com/ws/2008/06/identity/claims/groups'
    const attributes = { [claim]: 'it', department: 'x' }
    const groupsWith = (groupsClaim: string) => {
      const outcome = read({ attributes }, { groupsClaim })
      return outcome.ok ? outcome.identity.groups : []
    }
    expect(groupsWith('groups')).toEqual(['it'])
    expect(groupsWith('Department')).toEqual(['x'])
    expect(groupsWith('none')).toEqual([])
  })
})
