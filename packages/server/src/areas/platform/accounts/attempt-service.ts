import { type Clock, DAY_MS, later, SECOND_MS } from '../../../kernel/clock.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import { Problem } from '../../../kernel/problem.ts'
import type { SecretBox } from '../../../kernel/secrets.ts'
import { createAttemptStore, type Place } from './attempt-store.ts'
import { CURVES, type CurveName, currentCount, curvesOf, FORGOTTEN_MS, waitMs } from './back-off.ts'

/** An address counts as known for this long after the last sign-in from it (spec: platform §2.4). */
const KNOWN_DAYS = 90

/** A secret that somebody enters for an account, which may not exist. */
export type Attempt = { kind: 'password' | 'code'; email: string; network: string }

/** An attempt that was counted as a failure, until it turns out to be a success. */
export type CountedAttempt = { subjects: ReadonlyMap<CurveName, string> }

export type AttemptService = ReturnType<typeof createAttemptService>

export function createAttemptService(deps: { db: Db; clock: Clock; secrets: SecretBox }) {
  const { clock } = deps
  const placeOf = (email: string, network: string): Place => ({
    accountHash: deps.secrets.keyedHash(email, 'sign-in account'),
    addressHash: deps.secrets.keyedHash(network, 'sign-in address'),
  })

  return {
    /**
     * Counts the attempt as a failure before the secret is checked, so that concurrent guesses on
     * any number of nodes cannot exceed the limit. Does the same work whether the account exists or
     * not. Throws `rate_limited` while the attempt has to wait; such an attempt is not counted.
     */
    async begin(attempt: Attempt): Promise<CountedAttempt> {
      const place = placeOf(attempt.email, attempt.network)
      const { kind } = attempt
      const outcome = await transact(deps.db, async (tx) => {
        const store = createAttemptStore(tx)
        const now = clock.now()
        const isKnownAddress = await store.isKnown(place, now)
        const subjects = subjectsOf(curvesOf({ kind, isKnownAddress }), place)
        const hashes = [...subjects.values()]
        await store.lock(hashes)
        const failures = await store.failures(hashes)
        const waits = [...subjects].map(([curve, hash]) =>
          waitMs(CURVES[curve], failures.get(hash), now),
        )
        const wait = Math.max(...waits)
        if (wait > 0) return { wait, subjects }
        for (const hash of hashes) {
          const count = currentCount(failures.get(hash), now) + 1
          await store.save(hash, { count, lastAt: now })
        }
        return { wait, subjects }
      })
      if (outcome.wait > 0) throw tooMany(outcome.wait)
      return { subjects: outcome.subjects }
    },

    /** The secret was right: failures of the account at this address are forgotten. */
    async succeed(tx: Db, { subjects }: CountedAttempt): Promise<void> {
      const store = createAttemptStore(tx)
      for (const [curve, hash] of [...subjects].sort(([, a], [, b]) => (a < b ? -1 : 1))) {
        // The wider counters keep the failures of others: one success must not erase their traces.
        if (isPair(curve)) await store.clear(hash)
        else await store.takeBack(hash)
      }
    },

    /**
     * Makes the address a known one of the account, which starts without failures. Only after a
     * complete sign-in, or a password reset, which proves the mailbox.
     */
    async remember(tx: Db, email: string, network: string): Promise<void> {
      const store = createAttemptStore(tx)
      const place = placeOf(email, network)
      await store.remember(place, later(clock.now(), KNOWN_DAYS * DAY_MS))
      for (const hash of subjectsOf(['knownPair', 'pair'], place).values()) await store.clear(hash)
    },

    /** For a new password: a thief of the old one may have made their address known. */
    forgetAddresses: (tx: Db, email: string): Promise<void> =>
      createAttemptStore(tx).forgetAddresses(placeOf(email, '').accountHash),

    async purge(now: Date): Promise<number> {
      const store = createAttemptStore(deps.db)
      const failures = await store.deleteFailuresBefore(later(now, -FORGOTTEN_MS))
      return failures + (await store.deleteAddressesEndedBefore(now))
    },
  }
}

function isPair(curve: CurveName): boolean {
  return curve === 'pair' || curve === 'knownPair' || curve === 'codePair'
}

function subjectsOf(curves: readonly CurveName[], place: Place): Map<CurveName, string> {
  const { accountHash, addressHash } = place
  return new Map(
    curves.map((curve) => {
      if (isPair(curve)) return [curve, `${curve} ${accountHash} ${addressHash}`]
      return [curve, `${curve} ${curve === 'address' ? addressHash : accountHash}`]
    }),
  )
}

function tooMany(wait: number): Problem {
  const seconds = String(Math.ceil(wait / SECOND_MS))
  return new Problem('rate_limited', `Too many failed attempts. Try again in ${seconds} s.`, {
    headers: { 'retry-after': seconds },
  })
}
