import { expect, it } from 'vitest'
import {
  assertionXml,
  encode,
  IDP_ENTITY_ID,
  IDP_SSO_URL,
  responseXml,
  type SignInParts,
  sign,
} from './identity-provider.fixture.ts'
import { readResponse } from './saml.ts'
import { CURRENT, ROLLOVER } from './saml-keys.fixture.ts'

// Known signature-wrapping attacks: the verifier sees one assertion, the reader another.
const now = new Date('2026-03-01T12:00:00.000Z')
const sp = {
  entityId: 'https://touchstone.test/v1/auth/sso/org-1/metadata',
  acsUrl: 'https://touchstone.test/v1/auth/sso/org-1/acs',
}
const usual: SignInParts = {
  now,
  requestId: '_request1',
  acsUrl: sp.acsUrl,
  audience: sp.entityId,
}
const forged = { ...usual, nameId: 'root@example.com' }

const good = sign(assertionXml(usual), 'Assertion')
const signature = /<Signature.*<\/Signature>/s.exec(good)?.[0] ?? ''
const bare = good.replace(signature, '')
const evil = assertionXml({ ...forged, assertionId: '_evil' })
const twin = assertionXml(forged)

const within = (assertion: string, inner: string) =>
  assertion.replace('</saml:Issuer>', `</saml:Issuer>${inner}`)
const holding = (inner: string) =>
  signature.replace('</Signature>', `<Object>${inner}</Object></Signature>`)
const wrapped = (name: string, inner: string) => `<${name}>${inner}</${name}>`

const digestOf = (xml: string) => /<DigestValue>([^<]+)</.exec(xml)?.[1] ?? ''
const goodDigest = digestOf(good)
const twinDigest = digestOf(sign(twin, 'Assertion', { pair: ROLLOVER }))
const withDigest = (value: string) =>
  within(twin, signature.replace(`>${goodDigest}<`, `>${value}<`))

const contents: Record<string, string> = {
  'a forged assertion before the signed one': evil + good,
  'a forged assertion after the signed one': good + evil,
  'the signed one within extensions': wrapped('samlp:Extensions', good) + evil,
  'the forged one within extensions': wrapped('samlp:Extensions', evil) + good,
  'the signed one within the forged one': within(evil, good),
  'the signed one in an Object of the stolen signature': within(evil, holding(bare)),
  'the forged one with the stolen signature, the signed one bare': within(evil, signature) + bare,
  'the forged one under the id of the signed one': within(twin, signature),
  'both under one id, the signed one first': good + twin,
  'both under one id, the forged one first': twin + good,
  'a signed response in an Object': evil + holding(responseXml(usual, good)),
  'an additional assertion in another namespace':
    good + evil.replace('urn:oasis:names:tc:SAML:2.0:assertion', 'urn:x'),
  'the signed one in a foreign element': `<x xmlns="urn:x">${good}</x>${within(evil, signature)}`,
  'the forged digest in a comment before the true one': withDigest(
    `<!--${twinDigest}-->${goodDigest}`,
  ),
  'the true digest in a comment before the forged one': withDigest(
    `<!--${goodDigest}-->${twinDigest}`,
  ),
  'both digests, one after the other': withDigest(
    `${goodDigest}</DigestValue><DigestValue>${twinDigest}`,
  ),
  'two references in one signature': good.replace(/<Reference.*<\/Reference>/s, '$&$&'),
  'a second SignedInfo': good.replace(/<SignedInfo>.*<\/SignedInfo>/s, '$&$&'),
  'two signatures on the assertion': good.replace('<saml:Subject>', `${signature}<saml:Subject>`),
  'an empty reference': good.replace('URI="#_assertion1"', 'URI=""'),
  'a reference to the envelope': good.replace('URI="#_assertion1"', 'URI="#_response1"'),
  'another transform': good.replace(
    '<Transforms>',
    '<Transforms><Transform Algorithm="http://www.w3.org/TR/1999/REC-xpath-19991116"/>',
  ),
  'a decoy method before SignedInfo': good.replace(
    '<SignedInfo>',
    '<Object><SignatureMethod Algorithm="x"/></Object><SignedInfo>',
  ),
  'a keyed hash in place of a signature': good.replace(
    'xmldsig-more#rsa-sha256',
    'xmldsig-more#hmac-sha256',
  ),
}

async function outcomeOf(xml: string) {
  const provider = {
    entityId: IDP_ENTITY_ID,
    ssoUrl: IDP_SSO_URL,
    binding: 'redirect' as const,
    certificates: [CURRENT.certificate],
    certificateExpiresAt: new Date('2099-12-31T23:59:59.000Z'),
  }
  return readResponse(encode(xml), {
    sp,
    provider,
    allowedDomains: ['example.com'],
    groupsClaim: 'groups',
    now,
  })
}

it('accepts the original signed assertion', async () => {
  expect(await outcomeOf(responseXml(usual, good))).toMatchObject({ ok: true })
})

it.each(Object.entries(contents))('refuses %s', async (_name, inner) => {
  expect(inner).not.toBe(good)
  expect(await outcomeOf(responseXml(usual, inner))).toMatchObject({ ok: false, authentic: false })
})
