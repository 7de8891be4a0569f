import { Type } from 'typebox'
import { NamedObject } from '../openapi/named.ts'
import { Nullable } from '../wire.ts'

const access = {
  access_token: Type.String(),
  token_type: Type.Literal('Bearer'),
  expires_in: Type.Integer({ description: 'seconds' }),
}
const owner = {
  user: NamedObject('User', { user_id: Type.String(), email: Nullable(Type.String()) }),
}

/** The answer of every sign-in route. */
export const Tokens = NamedObject(
  'Tokens',
  { ...access, refresh_token: Type.String(), ...owner },
  { description: 'The tokens of the session' },
)

export const BrowserSession = NamedObject(
  'BrowserSession',
  { ...access, ...owner },
  { description: 'An access token; the session itself is in the cookie' },
)
