/** People of this issuer reach the one organisation only (04 §4.3). */
export function issuerOf(orgId: string): string {
  return `saml:${orgId}`
}
