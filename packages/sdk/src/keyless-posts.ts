// Written by tools/write-sdk-types.ts from docs/api/openapi.json.

/** POSTs that ignore an idempotency key, so a retry may repeat the effect. */
export const KEYLESS_POSTS: readonly string[] = [
  '/dev/chain',
  '/v1/auth/browser-session',
  '/v1/auth/browser-session/renew',
  '/v1/auth/login',
  '/v1/auth/login/second-factor',
  '/v1/auth/logout',
  '/v1/auth/password-reset',
  '/v1/auth/password-reset/confirm',
  '/v1/auth/refresh',
  '/v1/auth/signup',
  '/v1/auth/sso/exchange',
  '/v1/auth/sso/{org_id}/acs',
  '/v1/verify',
  '/v1/verify-proof',
]
