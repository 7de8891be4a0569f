import { inflateRawSync } from 'node:zlib'
import { signXml } from '@node-saml/node-saml/lib/xml.js'
import { CURRENT, type SigningPair } from './saml-keys.fixture.ts'

/** A minimal SAML identity provider with real signatures. */
export const IDP_ENTITY_ID = 'https://idp.example.test/entity'
export const IDP_SSO_URL = 'https://idp.example.test/sso'

const EMAIL_FORMAT = 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress'
const SUCCESS = 'urn:oasis:names:tc:SAML:2.0:status:Success'
const BINDING = 'urn:oasis:names:tc:SAML:2.0:bindings:HTTP-'

export type MetadataParts = {
  entityId?: string
  certificates?: readonly string[]
  bindings?: readonly ('Redirect' | 'POST' | 'SOAP')[]
  location?: string
  attributes?: string
  keyUse?: string
}

export function metadataXml(parts: MetadataParts = {}): string {
  const use = parts.keyUse ?? ' use="signing"'
  const keys = (parts.certificates ?? [CURRENT.certificate]).map(
    (certificate) =>
      `<md:KeyDescriptor${use}><ds:KeyInfo><ds:X509Data><ds:X509Certificate>${certificate}</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>`,
  )
  const services = (parts.bindings ?? ['Redirect']).map(
    (binding) =>
      `<md:SingleSignOnService Binding="${BINDING}${binding}" Location="${parts.location ?? IDP_SSO_URL}"/>`,
  )
  return `<md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" xmlns:ds="http://www.w3.org/2000/09/xmldsig#" entityID="${parts.entityId ?? IDP_ENTITY_ID}"${parts.attributes ?? ''}><md:IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">${keys.join('')}${services.join('')}</md:IDPSSODescriptor></md:EntityDescriptor>`
}

export type SignInParts = {
  now: Date
  requestId: string
  acsUrl: string
  audience: string
  responseId?: string
  assertionId?: string
  issuer?: string
  issuedAt?: Date
  method?: string
  nameId?: string
  nameIdFormat?: string
  recipient?: string
  confirmedRequestId?: string
  notBefore?: Date
  notOnOrAfter?: Date
  confirmationEnd?: Date
  attributes?: Readonly<Record<string, string>>
  status?: string
  destination?: string
  statement?: string
}

export function assertionXml(parts: SignInParts): string {
  const start = (parts.notBefore ?? parts.now).toISOString()
  const end = (parts.notOnOrAfter ?? new Date(parts.now.getTime() + 300_000)).toISOString()
  const confirmed = (parts.confirmationEnd ?? parts.notOnOrAfter)?.toISOString() ?? end
  const attributes = Object.entries(parts.attributes ?? {}).map(
    ([name, value]) =>
      `<saml:Attribute Name="${name}"><saml:AttributeValue>${value}</saml:AttributeValue></saml:Attribute>`,
  )
  return [
    `<saml:Assertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="${parts.assertionId ?? '_assertion1'}" Version="2.0" IssueInstant="${(parts.issuedAt ?? parts.now).toISOString()}">`,
    `<saml:Issuer>${parts.issuer ?? IDP_ENTITY_ID}</saml:Issuer>`,
    `<saml:Subject><saml:NameID Format="${parts.nameIdFormat ?? EMAIL_FORMAT}">${parts.nameId ?? 'ada@example.com'}</saml:NameID>`,
    `<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:${parts.method ?? 'bearer'}">`,
    `<saml:SubjectConfirmationData InResponseTo="${parts.confirmedRequestId ?? parts.requestId}" NotOnOrAfter="${confirmed}" Recipient="${parts.recipient ?? parts.acsUrl}"/>`,
    '</saml:SubjectConfirmation></saml:Subject>',
    `<saml:Conditions NotBefore="${start}" NotOnOrAfter="${end}"><saml:AudienceRestriction><saml:Audience>${parts.audience}</saml:Audience></saml:AudienceRestriction></saml:Conditions>`,
    parts.statement ?? statementXml(parts.now),
    attributes.length === 0
      ? ''
      : `<saml:AttributeStatement>${attributes.join('')}</saml:AttributeStatement>`,
    '</saml:Assertion>',
  ].join('')
}

function statementXml(now: Date): string {
  return `<saml:AuthnStatement AuthnInstant="${now.toISOString()}"><saml:AuthnContext><saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>`
}

/** A response envelope around the given contents. */
export function responseXml(parts: SignInParts, contents: string): string {
  return [
    `<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" ID="${parts.responseId ?? '_response1'}" Version="2.0" IssueInstant="${parts.now.toISOString()}" InResponseTo="${parts.requestId}" Destination="${parts.destination ?? parts.acsUrl}">`,
    `<saml:Issuer xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion">${IDP_ENTITY_ID}</saml:Issuer>`,
    `<samlp:Status><samlp:StatusCode Value="${parts.status ?? SUCCESS}"/></samlp:Status>`,
    contents,
    '</samlp:Response>',
  ].join('')
}

type Hash = 'sha1' | 'sha256' | 'sha512'
export type Signing = { pair?: SigningPair; signature?: Hash; digest?: Hash }

/** Signs the element with this local name and puts the signature right after its Issuer. */
export function sign(
  xml: string,
  element: 'Assertion' | 'Response',
  { pair = CURRENT, signature = 'sha256', digest = 'sha256' }: Signing = {},
): string {
  const path = `//*[local-name(.)='${element}']`
  return signXml(
    xml,
    path,
    { reference: `${path}/*[local-name(.)='Issuer']`, action: 'after' },
    {
      privateKey: pair.privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
      signatureAlgorithm: signature,
      digestAlgorithm: digest,
    },
  )
}

/** A valid response with a signed assertion. */
export function signedResponse(parts: SignInParts, signing: Signing = {}): string {
  return responseXml(parts, sign(assertionXml(parts), 'Assertion', signing))
}

export function encode(xml: string): string {
  return Buffer.from(xml, 'utf8').toString('base64')
}

/** The request in a Redirect-binding URL, as the provider reads it. */
export function requestOf(location: string): { id: string; acsUrl: string; issuer: string } {
  const request = new URL(location).searchParams.get('SAMLRequest') ?? ''
  const xml = inflateRawSync(Buffer.from(request, 'base64')).toString('utf8')
  return {
    id: / ID="([^"]+)"/.exec(xml)?.[1] ?? '',
    acsUrl: / AssertionConsumerServiceURL="([^"]+)"/.exec(xml)?.[1] ?? '',
    issuer: /Issuer[^>]*>([^<]+)</.exec(xml)?.[1] ?? '',
  }
}

export const requestIdOf = (location: string): string => requestOf(location).id
