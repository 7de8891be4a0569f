/** The header that selects the organisation for paths without an organisation id. */
export const forOrg = (orgId: string) => ({ headers: { 'x-org-id': orgId } })
