/** For paths that name no organisation: which one is meant. */
export const forOrg = (orgId: string) => ({ headers: { 'x-org-id': orgId } })
