import type { SignInRefusal } from './saml.ts'

/** Every reason to refuse a sign-in. */
export type Refusal = SignInRefusal | 'request_unknown' | 'replayed'

const UNREADABLE = 'The response of the identity provider could not be read.'
const UNTRUSTED = 'The signature of the identity provider could not be verified.'
const OTHER_ORGANISATION = 'The response of the identity provider is not for this organisation.'
const UNKNOWN_REQUEST = 'This sign-in was not started here or has expired. Sign in again.'

/**
 * Messages for the browser: enough to act on, nothing that helps to forge a response. The exact
 * reason goes to the organisation's audit log if the identity provider signed the assertion.
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
  not_current:
    'The response of the identity provider has expired or is not valid yet. Sign in again.',
  not_an_authentication: 'The identity provider did not confirm that you signed in.',
  no_lasting_name: 'The identity provider must send a persistent NameID, not a transient one.',
  no_email: 'The identity provider sent no e-mail address.',
  domain_not_allowed: 'Your e-mail domain is not allowed to sign in to this organisation.',
  request_mismatch: UNKNOWN_REQUEST,
  request_unknown: UNKNOWN_REQUEST,
  replayed: 'This sign-in was used already. Sign in again.',
}

export function refusalText(refusal: Refusal): string {
  return TEXTS[refusal]
}
