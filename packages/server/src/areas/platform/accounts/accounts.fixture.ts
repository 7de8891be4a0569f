import type { Actor, Audit, AuditEntry } from '../../../audit.ts'
import { personActor } from '../../../audit.ts'
import type { Clock } from '../../../kernel/clock.ts'
import type { Db } from '../../../kernel/db.ts'
import type { JobHandler, Jobs } from '../../../kernel/jobs.ts'
import type { Notices } from '../../../kernel/notices.ts'
import { Problem } from '../../../kernel/problem.ts'
import { createSecretBox } from '../../../kernel/secrets.ts'
import { createIdentityService } from '../identity/service.ts'
import { handleAccountJobs } from './jobs.ts'
import { type AccountDeps, createAccountService } from './service.ts'
import type { TokenSet } from './session-service.ts'

export const PASSWORD = 'correct horse battery'
export const ORIGIN = { ip: '192.0.2.1', requestId: 'req-1' }
export const DEVICE = deviceAt(ORIGIN.ip)
export const BASE_URL = 'http://localhost:8787'

export type Mail = { kind: string; to: string; subject: string; text: string }

/** One node: the real accounts and identity features on a real database, fakes for the rest. */
export function createNode(db: Db, clock: Clock, changes: Partial<AccountDeps> = {}) {
  const entries: AuditEntry[] = []
  const mails: Mail[] = []
  const audit: Audit = { record: async (_tx, entry) => void entries.push(entry) }
  const queue = createQueue()
  const people = createIdentityService({
    db,
    clock,
    audit,
    baseUrl: BASE_URL,
    oidcIssuers: [],
    adminEmails: [],
    ownKeys: { find: (kid) => accounts.findPublicKey(kid) },
    ownSessions: { isLive: (sessionId, userId) => accounts.isLive(sessionId, userId) },
    onError: () => undefined,
  })
  const accounts = createAccountService({
    db,
    clock,
    audit,
    people,
    jobs: queue.jobs,
    notices: NO_NOTICES,
    secrets: createSecretBox(Buffer.alloc(32, 7)),
    invitations: {
      acceptIn: refuseInvitation,
      isMailed: async () => false,
      deleteFor: async () => undefined,
    },
    memberships: { membershipsOf: async () => [], leaveAll: async () => undefined },
    mailer: { queue: async (_tx, mail) => void mails.push(mail) },
    baseUrl: BASE_URL,
    localIdp: true,
    signupMode: 'open',
    ...changes,
  })
  handleAccountJobs(queue.jobs, accounts)
  const signup = (email: string, invitationToken?: string) =>
    accounts.signup({ email, password: PASSWORD, name: null, invitationToken }, DEVICE)
  /** For accounts without a second factor. */
  const login = async (email: string, password: string, device = DEVICE): Promise<TokenSet> => {
    const answer = await accounts.login(email, password, device)
    if ('mfa_required' in answer) throw new Error('the account has a second factor')
    return answer
  }
  return { accounts, people, entries, mails, signup, login, settle: queue.settle }
}

export function deviceAt(ip: string) {
  return { origin: { ip, requestId: 'req-1' }, network: ip, userAgent: 'test' }
}

/** A node that hears no others. */
const NO_NOTICES: Notices = {
  publish: async () => undefined,
  on: () => undefined,
  isLive: () => true,
  onReset: () => undefined,
  start: async () => undefined,
  stop: async () => undefined,
}

export function actorFor(userId: string): Actor {
  return personActor(userId, ORIGIN)
}

async function refuseInvitation(): Promise<never> {
  throw new Problem('not_found', 'No such invitation.')
}

/** Keeps jobs in memory until the test calls `settle`. */
function createQueue() {
  const handlers = new Map<string, JobHandler>()
  const waiting: { kind: string; payload: unknown }[] = []
  const settle = async (): Promise<void> => {
    for (const job of waiting.splice(0)) await handlers.get(job.kind)?.(job.payload)
  }
  const jobs: Jobs = {
    enqueue: async (_tx, kind, payload) => void waiting.push({ kind, payload }),
    handle: (kind, handler) => void handlers.set(kind, handler),
    runDue: async () => 0,
    start: () => undefined,
    stop: async () => undefined,
    purge: async () => 0,
  }
  return { jobs, settle }
}
