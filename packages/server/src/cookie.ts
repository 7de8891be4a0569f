/** A cookie of this host that scripts cannot read. */
export type CookieName = {
  name: string
  /** True if the service answers over https. */
  isSecure: boolean
}

export type CookieOptions = { value: string; maxAgeSeconds: number; sameSite: 'Lax' | 'Strict' }

/** `__Host-` keeps other hosts of the domain from setting the cookie, but needs https. */
export function cookieName(baseUrl: string, name: string): CookieName {
  const isSecure = baseUrl.startsWith('https:')
  return { name: isSecure ? `__Host-${name}` : name, isSecure }
}

/** The only value of that name in a Cookie header, if it has the form of a value of ours. */
export function readCookie(
  { name }: CookieName,
  header: string | undefined,
  form: RegExp,
): string | undefined {
  const prefix = `${name}=`
  const values = (header ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(prefix))
    .map((pair) => pair.slice(prefix.length))
  const [value, ...others] = values
  return value !== undefined && form.test(value) && others.length === 0 ? value : undefined
}

/** The Set-Cookie header. */
export function writeCookie(cookie: CookieName, options: CookieOptions): string {
  const secure = cookie.isSecure ? '; Secure' : ''
  const { value, maxAgeSeconds, sameSite } = options
  return `${cookie.name}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=${sameSite}${secure}`
}
