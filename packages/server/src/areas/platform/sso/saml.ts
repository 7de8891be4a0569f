import { generateServiceProviderMetadata, SAML, ValidateInResponseTo } from '@node-saml/node-saml'
import { type AssertionRefusal, type Identity, judgeAssertion } from './assertion.ts'
import { type IdentityProvider, unexpired } from './metadata.ts'
import { inspectResponse, type ShapeRefusal } from './response.ts'
import { decodeUtf8 } from './xml.ts'

/** The names under which an identity provider knows us, one set per organisation (04 §4.3). */
export type ServiceProvider = { entityId: string; acsUrl: string }

export function serviceProviderOf(baseUrl: string, orgId: string): ServiceProvider {
  const base = `${baseUrl}/v1/auth/sso/${orgId}`
  return { entityId: `${base}/metadata`, acsUrl: `${base}/acs` }
}

export type SignInRefusal =
  | ShapeRefusal
  | AssertionRefusal
  | 'certificate_expired'
  | 'signature_invalid'
  | 'request_mismatch'

export type SignInOutcome =
  | { ok: true; identity: Identity }
  /** Authentic: the identity provider did sign it, so the refusal is worth telling its owner. */
  | { ok: false; refusal: SignInRefusal; authentic: boolean }

export type LoginStep = { kind: 'redirect'; url: string } | { kind: 'form'; html: string }

/** Any name the provider keeps is welcome; a format demanded here would only make some refuse. */
const ANY_NAME = null

export function serviceProviderMetadata(sp: ServiceProvider): string {
  return generateServiceProviderMetadata({
    issuer: sp.entityId,
    callbackUrl: sp.acsUrl,
    identifierFormat: ANY_NAME,
    wantAssertionsSigned: true,
    // The default is a random id, which would make every answer a different document.
    generateUniqueId: () => '_touchstone',
  })
}

/** The browser's way to the identity provider, carrying the request of this id. */
export async function loginStep(
  sp: ServiceProvider,
  provider: IdentityProvider,
  requestId: string,
): Promise<LoginStep> {
  const saml = verifierFor(sp, provider, provider.certificates, requestId)
  return provider.binding === 'redirect'
    ? { kind: 'redirect', url: await saml.getAuthorizeUrlAsync('', undefined, {}) }
    : { kind: 'form', html: await saml.getAuthorizeFormAsync('') }
}

/**
 * Who the response says signed in. Three readers in a row: the shape is judged first, the library
 * verifies the signature, and the rest is read from the verified text alone.
 */
export async function readResponse(
  samlResponse: string,
  context: {
    sp: ServiceProvider
    provider: IdentityProvider
    allowedDomains: readonly string[]
    now: Date
  },
): Promise<SignInOutcome> {
  const { sp, provider, now } = context
  const xml = decodeUtf8(Buffer.from(samlResponse, 'base64'))
  if (xml === undefined) return refused('unreadable')
  const expected = { entityId: provider.entityId, acsUrl: sp.acsUrl }
  const shape = inspectResponse(xml, expected)
  if (!shape.ok) return refused(shape.refusal)
  const certificates = unexpired(provider.certificates, now)
  if (certificates.length === 0) return refused('certificate_expired')
  const verified = await verifiedAssertion(xml, verifierFor(sp, provider, certificates))
  if (verified === undefined) return refused('signature_invalid')
  const judged = judgeAssertion(verified, {
    ...expected,
    now,
    spEntityId: sp.entityId,
    assertionId: shape.assertionId,
    allowedDomains: context.allowedDomains,
  })
  if (!judged.ok) return refused(judged.refusal, { authentic: true })
  const { inResponseTo } = judged.identity
  if (shape.inResponseTo !== undefined && shape.inResponseTo !== inResponseTo) {
    return refused('request_mismatch', { authentic: true })
  }
  return { ok: true, identity: judged.identity }
}

/** The text the signature covers, in canonical form; never what merely stood beside it. */
async function verifiedAssertion(xml: string, saml: SAML): Promise<string | undefined> {
  try {
    const SAMLResponse = Buffer.from(xml, 'utf8').toString('base64')
    const { profile } = await saml.validatePostResponseAsync({ SAMLResponse })
    return profile?.getAssertionXml?.()
  } catch {
    // Why it failed is the attacker's question; the answer is the same for every cause.
    return undefined
  }
}

function verifierFor(
  sp: ServiceProvider,
  provider: IdentityProvider,
  certificates: string[],
  requestId?: string,
): SAML {
  return new SAML({
    idpCert: certificates,
    idpIssuer: provider.entityId,
    entryPoint: provider.ssoUrl,
    issuer: sp.entityId,
    callbackUrl: sp.acsUrl,
    identifierFormat: ANY_NAME,
    disableRequestedAuthnContext: true,
    // The POST binding carries the request as it is, the Redirect binding deflated.
    skipRequestCompression: provider.binding === 'post',
    signatureAlgorithm: 'sha256',
    wantAssertionsSigned: true,
    wantAuthnResponseSigned: false,
    // The library is asked about the signature alone. It goes by the system clock and knows neither
    // recipients nor organisations, and its errors do not tell a forgery from a wrong setting;
    // assertion.ts and the store judge the rest. -1 turns its times off.
    audience: false,
    acceptedClockSkewMs: -1,
    validateInResponseTo: ValidateInResponseTo.never,
    ...(requestId === undefined ? {} : { generateUniqueId: () => requestId }),
  })
}

function refused(refusal: SignInRefusal, { authentic } = { authentic: false }): SignInOutcome {
  return { ok: false, refusal, authentic }
}
