export type Orgs = {
  /** Undefined for an organisation that does not exist or was deleted. */
  find(orgId: string): Promise<{ orgId: string; accountId: string } | undefined>
}
