import { X509Certificate } from 'node:crypto'
import {
  attributeOf,
  childrenNamed,
  isNamed,
  METADATA,
  parseXml,
  SAMLP,
  textOf,
  XMLDSIG,
} from './xml.ts'

/** How the browser carries the sign-in request to the identity provider. */
export type Binding = 'redirect' | 'post'

export type IdentityProvider = {
  entityId: string
  ssoUrl: string
  binding: Binding
  /** DER as base64: the RSA signing certificates that have not expired. */
  certificates: string[]
  /** Expiry of the last of them; sign-in works until then. */
  certificateExpiresAt: Date
}

export type MetadataOutcome =
  | { valid: true; provider: IdentityProvider }
  | { valid: false; reason: string }

const BINDINGS: readonly (readonly [uri: string, binding: Binding])[] = [
  ['urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect', 'redirect'],
  ['urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST', 'post'],
]

/** SAML metadata §2.2.1: an entity id has at most this many characters. */
const ENTITY_ID_LENGTH_MAX = 1024
const URL_LENGTH_MAX = 2048
/** Anybody can make us try each of them; a key rotation needs two. */
const CERTIFICATES_MAX = 4
const ELEMENTS_MAX = 5_000

/**
 * Reads an identity provider from its metadata, or the reason why it cannot be used (spec: platform
 * §4.3).
 */
export function readMetadata(text: string, now: Date): MetadataOutcome {
  const parsed = parseXml(text, ELEMENTS_MAX)
  if (!parsed.ok) return invalid(`The metadata was refused: ${parsed.reason}.`)
  const entities = entitiesOf(parsed.root)
  if (entities === undefined) {
    return invalid('The document is not SAML 2.0 metadata: its root is not an EntityDescriptor.')
  }
  const candidates = entities.flatMap((entity) =>
    providersOf(entity).map((descriptor) => ({ entity, descriptor })),
  )
  const [found, ...more] = candidates
  if (found === undefined) return invalid('The metadata has no SAML 2.0 IDPSSODescriptor.')
  if (more.length > 0) return invalid('The metadata describes more than one identity provider.')
  const isExpired = [parsed.root, found.entity, found.descriptor].some((part) => isPast(part, now))
  if (isExpired) return invalid('The metadata has expired (validUntil).')
  return readProvider(found.entity, found.descriptor, now)
}

function readProvider(entity: Element, descriptor: Element, now: Date): MetadataOutcome {
  const entityId = attributeOf(entity, 'entityID')
  if (entityId === undefined || entityId.length > ENTITY_ID_LENGTH_MAX) {
    return invalid(`The metadata has no entityID of 1 to ${ENTITY_ID_LENGTH_MAX} characters.`)
  }
  const service = signOnService(descriptor)
  if (service === undefined) {
    return invalid('The metadata has no SingleSignOnService with the Redirect or POST binding.')
  }
  const signing = signingCertificates(descriptor)
  const current = signing.filter((certificate) => endOf(certificate) > now.getTime())
  if (current.length === 0) {
    return invalid(
      signing.length === 0
        ? 'The metadata has no readable RSA signing certificate.'
        : 'Every signing certificate in the metadata has expired.',
    )
  }
  const certificates = new Set(current.map((certificate) => certificate.raw.toString('base64')))
  if (certificates.size > CERTIFICATES_MAX) {
    return invalid(`The metadata has more than ${CERTIFICATES_MAX} current signing certificates.`)
  }
  return {
    valid: true,
    provider: {
      entityId,
      ...service,
      certificates: [...certificates],
      certificateExpiresAt: new Date(Math.max(...current.map(endOf))),
    },
  }
}

/** Metadata is one EntityDescriptor or, as federations publish it, a list of them. */
function entitiesOf(root: Element): Element[] | undefined {
  if (isNamed(root, METADATA, 'EntityDescriptor')) return [root]
  if (!isNamed(root, METADATA, 'EntitiesDescriptor')) return undefined
  return childrenNamed(root, METADATA, 'EntityDescriptor')
}

function providersOf(entity: Element): Element[] {
  return childrenNamed(entity, METADATA, 'IDPSSODescriptor').filter((descriptor) =>
    (attributeOf(descriptor, 'protocolSupportEnumeration') ?? SAMLP).split(/\s+/).includes(SAMLP),
  )
}

function isPast(element: Element, now: Date): boolean {
  const until = attributeOf(element, 'validUntil')
  // An unreadable time counts as past.
  return until !== undefined && !(Date.parse(until) > now.getTime())
}

/** Prefers Redirect, which needs no intermediate page. */
function signOnService(descriptor: Element): { ssoUrl: string; binding: Binding } | undefined {
  const services = childrenNamed(descriptor, METADATA, 'SingleSignOnService')
  for (const [uri, binding] of BINDINGS) {
    for (const service of services) {
      const ssoUrl = attributeOf(service, 'Location')
      if (attributeOf(service, 'Binding') !== uri || ssoUrl === undefined) continue
      if (isWebUrl(ssoUrl)) return { ssoUrl, binding }
    }
  }
  return undefined
}

/** The browser is redirected there, so other schemes, such as `javascript:`, are refused. */
function isWebUrl(text: string): boolean {
  if (text.length > URL_LENGTH_MAX || !URL.canParse(text)) return false
  const { protocol } = new URL(text)
  return protocol === 'https:' || protocol === 'http:'
}

/** A key descriptor without `use` is valid for signing, too. */
function signingCertificates(descriptor: Element): X509Certificate[] {
  return childrenNamed(descriptor, METADATA, 'KeyDescriptor')
    .filter((key) => (attributeOf(key, 'use') ?? 'signing') === 'signing')
    .flatMap((key) => childrenNamed(key, XMLDSIG, 'KeyInfo'))
    .flatMap((info) => childrenNamed(info, XMLDSIG, 'X509Data'))
    .flatMap((data) => readCertificate(data) ?? [])
}

/** Reads the first certificate; the rest are its chain and must not verify assertions. */
function readCertificate(data: Element): X509Certificate | undefined {
  const holder = childrenNamed(data, XMLDSIG, 'X509Certificate')[0]
  const base64 = holder === undefined ? undefined : textOf(holder)?.replace(/\s+/g, '')
  if (!base64 || !/^[A-Za-z0-9+/]+={0,2}$/.test(base64)) return undefined
  try {
    const certificate = new X509Certificate(Buffer.from(base64, 'base64'))
    return certificate.publicKey.asymmetricKeyType === 'rsa' ? certificate : undefined
  } catch {
    return undefined
  }
}

function endOf(certificate: X509Certificate): number {
  return Date.parse(certificate.validTo)
}

/** The stored certificates that have not expired. */
export function unexpired(certificates: readonly string[], now: Date): string[] {
  return certificates.filter(
    (der) => endOf(new X509Certificate(Buffer.from(der, 'base64'))) > now.getTime(),
  )
}

function invalid(reason: string): MetadataOutcome {
  return { valid: false, reason }
}
