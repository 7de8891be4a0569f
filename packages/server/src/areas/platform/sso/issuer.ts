export type Protocol = 'saml' | 'oidc'

/**
 * The issuer of an organisation's users of single sign-on, who can access only this organisation
 * (spec: platform §4.3).
 */
export function issuerOf(protocol: Protocol, orgId: string): string {
  return `${protocol}:${orgId}`
}

/**
 * A subject is unique only within its provider, so that a person of a former provider is never
 * taken for one of the present. An issuer has no fragment, which makes the join unambiguous.
 */
export function oidcSubject(issuer: string, subject: string): string {
  return `${issuer}#${subject}`
}
