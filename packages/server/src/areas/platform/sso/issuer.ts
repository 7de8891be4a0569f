/**
 * The issuer of an organisation's SAML users, who can access only this organisation (spec: platform
 * §4.3).
 */
export function issuerOf(orgId: string): string {
  return `saml:${orgId}`
}
