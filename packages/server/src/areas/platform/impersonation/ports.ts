export type People = {
  find(
    userId: string,
  ): Promise<{ userId: string; email: string | null; isPlatformAdmin: boolean } | undefined>
}

export type Memberships = {
  membershipsOf(userId: string): Promise<readonly { orgId: string }[]>
}
