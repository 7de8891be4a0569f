/** Whether this is an error of the operating system with one of these codes, such as ENOENT. */
export function isCode(err: unknown, ...codes: readonly string[]): boolean {
  return err instanceof Error && 'code' in err && codes.includes(String(err.code))
}
