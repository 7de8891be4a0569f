import type { SignInRefusal } from './saml.ts'

/** Every way a sign-in ends without one. */
export type Refusal = SignInRefusal | 'request_unknown' | 'replayed'

const UNTRUSTED = 'The answer of the identity provider could not be trusted.'
const ELSEWHERE = 'The answer of the identity provider is not meant for this organisation.'

/**
 * What the browser is told. Enough to act on; nothing that helps to forge. The exact reason goes to
 * the audit log of the organisation when the identity provider is the one who said it.
 */
const TEXTS: Record<Refusal, string> = {
  unreadable: 'The answer of the identity provider could not be read.',
  not_a_response: 'The answer of the identity provider could not be read.',
  provider_refused: 'The identity provider did not sign you in.',
  encrypted: 'Encrypted assertions are not supported. Turn assertion encryption off.',
  one_assertion_needed: 'The answer of the identity provider must hold exactly one assertion.',
  assertion_not_signed: 'The identity provider must sign the assertion itself.',
  weak_signature: 'The identity provider must sign with RSA and SHA-256 or SHA-512.',
  signature_shape: UNTRUSTED,
  signature_invalid: UNTRUSTED,
  certificate_expired: "The identity provider's certificate has expired. Ask an owner to renew it.",
  wrong_issuer: ELSEWHERE,
  wrong_audience: ELSEWHERE,
  wrong_recipient: ELSEWHERE,
  not_current: 'The answer of the identity provider is too old or not valid yet. Sign in again.',
  not_an_authentication: 'The identity provider did not say that you signed in.',
  no_lasting_name: 'The identity provider must send a lasting NameID, not a transient one.',
  no_email: 'The identity provider sent no e-mail address.',
  domain_not_allowed: 'Your e-mail domain may not sign in to this organisation.',
  request_mismatch: 'This sign-in was not started here, or took too long. Sign in again.',
  request_unknown: 'This sign-in was not started here, or took too long. Sign in again.',
  replayed: 'This sign-in was used before. Sign in again.',
}

export function refusalText(refusal: Refusal): string {
  return TEXTS[refusal]
}
