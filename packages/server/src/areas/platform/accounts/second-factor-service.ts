import { randomBytes } from 'node:crypto'
import type { Actor, Audit } from '../../../audit.ts'
import { personActor } from '../../../audit.ts'
import { type Clock, later, MINUTE_MS, SECOND_MS } from '../../../kernel/clock.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import { newToken, tokenHash } from '../../../kernel/ids.ts'
import { invalidField, Problem } from '../../../kernel/problem.ts'
import type { SecretBox } from '../../../kernel/secrets.ts'
import type { AttemptService } from './attempt-service.ts'
import { noPassword, type PasswordCheck } from './password-check-service.ts'
import {
  formatRecoveryCode,
  RECOVERY_BYTES,
  RECOVERY_CODES,
  readRecoveryCode,
  readTotpCode,
} from './recovery-codes.ts'
import { createSecondFactorStore, type SecondFactor } from './second-factor-store.ts'
import type { Device, SessionService } from './session-service.ts'
import { createAccountStore } from './store.ts'
import { acceptedStep, otpauthUri, SECRET_BYTES, toBase32 } from './totp.ts'

/** Between the password and the code (spec: platform §2.4). */
const CHALLENGE_MS = 5 * MINUTE_MS
const ISSUER = 'Touchstone'

/** The answer to a right password if a code is missing. */
export type MissingCode = { mfa_required: true; challenge_token: string; expires_in: number }

export type SecondFactorState = {
  enabled: boolean
  confirmedAt: Date | null
  recoveryCodesLeft: number
}

/** The current password and, where a code is asked for too, the code. */
export type Proof = { password: string; code: string; device: Device }

export type SecondFactorDeps = {
  db: Db
  clock: Clock
  audit: Audit
  secrets: SecretBox
  attempts: AttemptService
  passwords: PasswordCheck
  sessions: SessionService
}

export type SecondFactorService = ReturnType<typeof createSecondFactorService>

export function createSecondFactorService(deps: SecondFactorDeps) {
  const { clock } = deps
  const store = createSecondFactorStore(deps.db)
  return {
    async state(userId: string): Promise<SecondFactorState> {
      const confirmedAt = (await store.find(userId))?.confirmedAt ?? null
      const enabled = confirmedAt !== null
      const recoveryCodesLeft = enabled ? await store.countRecoveryCodes(userId) : 0
      return { enabled, confirmedAt, recoveryCodesLeft }
    },

    isEnabled: (db: Db, userId: string): Promise<boolean> => isEnabled(db, userId),

    /** Creates a secret, which counts only once `confirm` has received a code. */
    async enrol(
      actor: Actor,
      proof: { password: string; device: Device },
    ): Promise<{ secret: string; uri: string }> {
      const { email } = await deps.passwords.confirm(actor, proof.password, proof.device.network)
      const secret = randomBytes(SECRET_BYTES)
      const sealed = deps.secrets.seal(secret.toString('hex'), purposeOf(actor.userId))
      await transact(deps.db, async (tx) => {
        await createAccountStore(tx).lockAccount(actor.userId)
        if (await isEnabled(tx, actor.userId)) throw alreadyEnabled()
        await createSecondFactorStore(tx).save(actor.userId, sealed, clock.now())
      })
      return {
        secret: toBase32(secret),
        uri: otpauthUri({ issuer: ISSUER, name: email, secret }),
      }
    },

    /**
     * Switches the second factor on and ends all other sessions, which were opened without it.
     * Returns the recovery codes, which are not shown again.
     */
    async confirm(
      actor: Actor,
      input: { code: string; device: Device; sessionId: string | undefined },
    ): Promise<string[]> {
      const account = await createAccountStore(deps.db).findAccount(actor.userId)
      if (account === undefined) throw noPassword()
      const { network } = input.device
      const attempt = await deps.attempts.begin({ kind: 'code', email: account.email, network })
      const { codes, ended } = await transact(deps.db, async (tx) => {
        await createAccountStore(tx).lockAccount(actor.userId)
        const factors = createSecondFactorStore(tx)
        const factor = await factors.lock(actor.userId)
        if (factor === undefined) throw notEnrolled()
        if (factor.confirmedAt !== null) throw alreadyEnabled()
        if (!(await useTotp(deps, tx, actor.userId, factor, input.code))) throw wrongCode()
        await factors.confirm(actor.userId, clock.now())
        await deps.attempts.succeed(tx, attempt)
        await record(deps, tx, 'second_factor.enabled', actor)
        return {
          codes: await newRecoveryCodes(deps, tx, actor.userId),
          ended: await deps.sessions.revokeAll(tx, actor.userId, input.sessionId),
        }
      })
      deps.sessions.evictAll(ended)
      return codes
    },

    /** The old recovery codes stop working. */
    regenerate: (actor: Actor, proof: Proof): Promise<string[]> =>
      withProof(deps, actor, proof, async (tx) => {
        await record(deps, tx, 'second_factor.recovery_codes_replaced', actor)
        return newRecoveryCodes(deps, tx, actor.userId)
      }),

    disable: (actor: Actor, proof: Proof): Promise<void> =>
      withProof(deps, actor, proof, async (tx) => {
        await createSecondFactorStore(tx).delete(actor.userId)
        await record(deps, tx, 'second_factor.disabled', actor)
      }),

    /** After a right password; the token and a code give a session. */
    async challenge(tx: Db, userId: string): Promise<MissingCode> {
      const token = newToken('tsm_')
      const createdAt = clock.now()
      const expiresAt = later(createdAt, CHALLENGE_MS)
      const challenge = { userId, createdAt, expiresAt }
      await createSecondFactorStore(tx).insertChallenge(tokenHash(token), challenge)
      const seconds = CHALLENGE_MS / SECOND_MS
      return { mfa_required: true, challenge_token: token, expires_in: seconds }
    },

    /** Uses up a code of the app or a recovery code; false if it is wrong or was used before. */
    async useCode(tx: Db, userId: string, typed: string, device: Device): Promise<boolean> {
      const used = await useCode(deps, tx, userId, typed)
      if (used === 'recovery code') {
        const actor = personActor(userId, device.origin)
        await record(deps, tx, 'second_factor.recovery_code_used', actor)
      }
      return used !== undefined
    },

    purge: (now: Date): Promise<number> => store.deleteChallengesEndedBefore(now),
  }
}

/** Runs the work if the password and a code are right, in the transaction that uses up the code. */
async function withProof<T>(
  deps: SecondFactorDeps,
  actor: Actor,
  { password, code, device }: Proof,
  work: (tx: Db) => Promise<T>,
): Promise<T> {
  const { network } = device
  const { email } = await deps.passwords.confirm(actor, password, network)
  if (!(await isEnabled(deps.db, actor.userId))) throw notEnabled()
  const attempt = await deps.attempts.begin({ kind: 'code', email, network })
  return transact(deps.db, async (tx) => {
    await createAccountStore(tx).lockAccount(actor.userId)
    if ((await useCode(deps, tx, actor.userId, code)) === undefined) throw wrongCode()
    await deps.attempts.succeed(tx, attempt)
    return work(tx)
  })
}

async function isEnabled(db: Db, userId: string): Promise<boolean> {
  const factor = await createSecondFactorStore(db).find(userId)
  return factor !== undefined && factor.confirmedAt !== null
}

async function useCode(
  deps: SecondFactorDeps,
  tx: Db,
  userId: string,
  typed: string,
): Promise<'app' | 'recovery code' | undefined> {
  const store = createSecondFactorStore(tx)
  const factor = await store.lock(userId)
  if (factor === undefined || factor.confirmedAt === null) return undefined
  if (await useTotp(deps, tx, userId, factor, typed)) return 'app'
  const recovery = readRecoveryCode(typed)
  if (recovery === undefined) return undefined
  const hash = recoveryHash(deps, userId, recovery)
  return (await store.useRecoveryCode(userId, hash)) ? 'recovery code' : undefined
}

async function useTotp(
  deps: SecondFactorDeps,
  tx: Db,
  userId: string,
  { secretSealed, lastStep }: SecondFactor,
  typed: string,
): Promise<boolean> {
  const code = readTotpCode(typed)
  if (code === undefined) return false
  const secret = Buffer.from(deps.secrets.open(secretSealed, purposeOf(userId)), 'hex')
  const step = acceptedStep(secret, { code, now: deps.clock.now(), lastStep })
  if (step === undefined) return false
  await createSecondFactorStore(tx).useStep(userId, step)
  return true
}

async function newRecoveryCodes(deps: SecondFactorDeps, tx: Db, userId: string): Promise<string[]> {
  const codes = Array.from({ length: RECOVERY_CODES }, () =>
    formatRecoveryCode(randomBytes(RECOVERY_BYTES)),
  )
  const hashes = codes.map((code) => recoveryHash(deps, userId, code.replaceAll('-', '')))
  await createSecondFactorStore(tx).replaceRecoveryCodes(userId, hashes)
  return codes
}

function recoveryHash(deps: SecondFactorDeps, userId: string, code: string): string {
  return deps.secrets.keyedHash(code, `recovery_code ${userId}`)
}

function purposeOf(userId: string): string {
  return `second_factor ${userId}`
}

function record(deps: SecondFactorDeps, tx: Db, action: string, actor: Actor): Promise<void> {
  const target = { type: 'user', id: actor.userId }
  return deps.audit.record(tx, { orgId: null, action, actor, target })
}

function wrongCode(): Problem {
  return invalidField('code', 'is incorrect or was used before. Enter the current one.')
}

function alreadyEnabled(): Problem {
  return new Problem('conflict', 'The second factor is on already. Disable it to enrol another.')
}

function notEnrolled(): Problem {
  return new Problem('conflict', 'Enrol first: there is no secret to confirm.')
}

function notEnabled(): Problem {
  return new Problem('conflict', 'The second factor is not on.')
}
