/** The hook program as connect configures it. */
export type Program = {
  /** The absolute paths of node and of this program, then the arguments. */
  command: readonly [string, ...string[]]
  mode: 'enforce' | 'observe'
}
