/** Sign-up policy, the setting SIGNUP_MODE (spec: platform §2.4). */
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
