/** Who may make an account (04 §2.4, SIGNUP_MODE). */
export type SignupMode = 'invite' | 'open' | 'closed'

export type Admission = 'first' | 'free' | 'invited' | 'refused'

export function admit(input: {
  mode: SignupMode
  isFirst: boolean
  hasInvitation: boolean
}): Admission {
  if (input.mode === 'closed') return 'refused'
  if (input.isFirst) return 'first'
  if (input.hasInvitation) return 'invited'
  return input.mode === 'open' ? 'free' : 'refused'
}

/**
 * An accepted invitation proves the address. Not one of a platform administrator, though: whoever
 * invites sees the token as well, and must not become one by inviting that address.
 */
export function provesEmail(input: {
  invited: boolean
  email: string
  adminEmails: readonly string[]
}): boolean {
  return input.invited && !input.adminEmails.includes(input.email)
}
