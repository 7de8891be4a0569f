import { generateServiceProviderMetadata, SAML, ValidateInResponseTo } from '@node-saml/node-saml'
import { type AssertedPerson, type AssertionRefusal, judgeAssertion } from './assertion.ts'
import { type IdentityProvider, unexpired } from './metadata.ts'
import { inspectResponse, type ShapeRefusal } from './response.ts'
import { decodeUtf8 } from './xml.ts'

/**
 * Our entity id and URL for identity providers, one pair per organisation (spec: platform §4.3).
 */
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
  | { ok: true; identity: AssertedPerson }
  /**
   * Authentic: the identity provider signed it, so the refusal is recorded for the organisation.
   */
  | { ok: false; refusal: SignInRefusal; authentic: boolean }

export type LoginStep = { kind: 'redirect'; url: string } | { kind: 'form'; html: string }

/** Any name format is accepted; requesting one would only make some providers refuse. */
const ANY_NAME = null

export function serviceProviderMetadata(sp: ServiceProvider): string {
  return generateServiceProviderMetadata({
    issuer: sp.entityId,
    callbackUrl: sp.acsUrl,
    identifierFormat: ANY_NAME,
    wantAssertionsSigned: true,
    // The default is a random id, which would make every response a different document.
    generateUniqueId: () => '_touchstone',
  })
}

/** The redirect or form that takes the browser to the identity provider with this request id. */
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
 * Reads the identity in a response in three steps: checks the shape, lets the library verify the
 * signature, and reads the rest only from the verified text.
 */
export async function readResponse(
  samlResponse: string,
  context: {
    sp: ServiceProvider
    provider: IdentityProvider
    allowedDomains: readonly string[]
    groupsClaim: string
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
    groupsClaim: context.groupsClaim,
  })
  if (!judged.ok) return refused(judged.refusal, { authentic: true })
  const { inResponseTo } = judged.identity
  if (shape.inResponseTo !== undefined && shape.inResponseTo !== inResponseTo) {
    return refused('request_mismatch', { authentic: true })
  }
  return { ok: true, identity: judged.identity }
}

/** The canonical text that the signature covers, and nothing outside it. */
async function verifiedAssertion(xml: string, saml: SAML): Promise<string | undefined> {
  try {
    const SAMLResponse = Buffer.from(xml, 'utf8').toString('base64')
    const { profile } = await saml.validatePostResponseAsync({ SAMLResponse })
    return profile?.getAssertionXml?.()
  } catch {
    // The same refusal for every cause, so that an attacker does not learn why verification failed.
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
    // The Redirect binding deflates the request, the POST binding does not.
    skipRequestCompression: provider.binding === 'post',
    signatureAlgorithm: 'sha256',
    wantAssertionsSigned: true,
    wantAuthnResponseSigned: false,
    // The library verifies only the signature. It uses the system clock, knows neither recipients
    // nor organisations, and its errors do not distinguish a forgery from a wrong setting;
    // assertion.ts and the store check the rest. -1 turns off its time checks.
    audience: false,
    acceptedClockSkewMs: -1,
    validateInResponseTo: ValidateInResponseTo.never,
    ...(requestId === undefined ? {} : { generateUniqueId: () => requestId }),
  })
}

function refused(refusal: SignInRefusal, { authentic } = { authentic: false }): SignInOutcome {
  return { ok: false, refusal, authentic }
}
