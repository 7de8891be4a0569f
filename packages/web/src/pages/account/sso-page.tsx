import { Link, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { publicApi } from '../../session/session.ts'
import { buttonClass } from '../../ui/button.tsx'
import { ErrorState, Loading } from '../../ui/states.tsx'
import { AccountPage } from './account-form.tsx'
import { useCompleteSignIn } from './use-complete-sign-in.ts'

/** One promise per code, because a code can be exchanged only once but effects may run twice. */
const exchanges = new Map<string, ReturnType<typeof exchange>>()

const exchange = (code: string) =>
  publicApi.request('POST', '/v1/auth/sso/exchange', { body: { code } })

function exchangeOnce(code: string) {
  const running = exchanges.get(code) ?? exchange(code)
  exchanges.set(code, running)
  return running
}

/**
 * The landing page after the identity provider: exchanges the code, which works once within a
 * minute.
 */
export function SsoPage() {
  const { code, return_to: next } = useSearch({ from: '/site/sign-in/sso' })
  const completeSignIn = useCompleteSignIn()
  const [error, setError] = useState<unknown>()
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once per code
  useEffect(() => {
    let isUnmounted = false
    exchangeOnce(code)
      .then((tokens) => (isUnmounted ? undefined : completeSignIn(tokens, next)))
      .catch((err: unknown) => isUnmounted || setError(err))
    return () => {
      isUnmounted = true
    }
  }, [code, next])
  return (
    <AccountPage
      title="Signing you in"
      lead="Completing single sign-on with your identity provider"
    >
      {error === undefined ? (
        <Loading />
      ) : (
        <div className="grid gap-4">
          <ErrorState error={error} />
          <Link to="/sign-in" className={buttonClass()}>
            Back to sign in
          </Link>
        </div>
      )}
    </AccountPage>
  )
}
