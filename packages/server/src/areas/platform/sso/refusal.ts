import type { ClaimsRefusal, PersonRefusal } from './id-token.ts'
import type { SignInRefusal } from './saml.ts'

/** Every reason to refuse a sign-in. */
export type Refusal =
  | SignInRefusal
  | ClaimsRefusal
  | PersonRefusal
  | 'request_unknown'
  | 'other_browser'
  | 'replayed'
  | 'provider_unreachable'
  | 'provider_invalid'
  | 'token_refused'
  | 'not_configured'

const UNREADABLE = 'The response of the identity provider could not be read.'
const UNTRUSTED = 'The signature of the identity provider could not be verified.'
const OTHER_ORGANISATION = 'The response of the identity provider is not for this organisation.'
const UNKNOWN_REQUEST =
  'This sign-in was not started here, was finished already or has expired. Sign in again.'

/**
 * Messages for the browser: enough to act on, nothing that helps to forge a response. The exact
 * reason goes to the organisation's audit log.
 */
const TEXTS: Record<Refusal, string> = {
  unreadable: UNREADABLE,
  not_a_response: UNREADABLE,
  provider_refused: 'The identity provider did not sign you in.',
  encrypted: 'Encrypted assertions are not supported. Turn assertion encryption off.',
  one_assertion_needed: 'The response of the identity provider must contain exactly one assertion.',
  assertion_not_signed: 'The identity provider must sign the assertion itself.',
  weak_signature: 'The identity provider must sign with RSA and SHA-256 or SHA-512.',
  signature_shape: UNTRUSTED,
  signature_invalid: UNTRUSTED,
  certificate_expired: "The identity provider's certificate has expired. Ask an owner to renew it.",
  wrong_issuer: OTHER_ORGANISATION,
  wrong_audience: OTHER_ORGANISATION,
  wrong_recipient: OTHER_ORGANISATION,
  wrong_nonce: UNKNOWN_REQUEST,
  not_current:
    'The response of the identity provider has expired or is not valid yet. Sign in again.',
  not_an_authentication: 'The identity provider did not confirm that you signed in.',
  no_lasting_name: 'The identity provider must send a persistent NameID or subject.',
  no_email: 'The identity provider sent no e-mail address.',
  email_unverified:
    'The identity provider has not verified your e-mail address. Verify it there, then sign in again.',
  domain_not_allowed: 'Your e-mail domain is not allowed to sign in to this organisation.',
  request_mismatch: UNKNOWN_REQUEST,
  request_unknown: UNKNOWN_REQUEST,
  other_browser:
    'This sign-in was started in another browser, or cookies are blocked. Sign in again here.',
  replayed: 'This sign-in was used already. Sign in again.',
  provider_unreachable: 'The identity provider could not be reached. Try again in a minute.',
  provider_invalid:
    'The identity provider does not offer what this service needs. Ask an owner to test the single sign-on settings.',
  token_refused:
    'The identity provider refused to confirm the sign-in. Sign in again; if it fails again, ask an owner to check the client ID and secret.',
  not_configured:
    'Single sign-on is not configured for this organisation. Sign in another way, or ask an owner.',
}

export function refusalText(refusal: Refusal): string {
  return TEXTS[refusal]
}

export function refusalStatus(refusal: Refusal): 403 | 404 {
  return refusal === 'not_configured' ? 404 : 403
}
