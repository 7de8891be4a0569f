import { type Body, type Client, type Item, items, type Query } from '@touchstone/sdk'
import { command, type Flags } from '../command.ts'
import { describeApproval, paintStatus } from '../decisions/approval-text.ts'
import type { Io } from '../io.ts'
import { numberFlag } from '../number-flag.ts'
import type { Paint } from '../paint.ts'
import { connect, getAccess } from '../service.ts'
import { withSession } from '../session.ts'
import { printable, table } from '../table.ts'

type Listed = Item<'/v1/escalations'>
type Resolution = Body<'POST', '/v1/escalations/{escalation_id}/resolve'>

const STATUSES = ['pending', 'approved', 'rejected', 'expired', 'all'] as const

export const approvalsList = command({
  path: ['approvals', 'list'],
  summary: 'list the tool calls that wait for an approval',
  flags: {
    status: { type: 'string', choices: STATUSES, summary: 'default: pending' },
    agent: { type: 'string', value: 'ID', summary: 'only calls of this agent' },
  },
  args: {},
  async run({ flags, io }) {
    const { status = 'pending', agent: agent_id = io.env.agent } = flags
    const { client } = await connect(io)
    const query: Query<'GET', '/v1/escalations'> = {
      agent_id,
      status: status === 'all' ? undefined : status,
    }
    const shown: Listed[] = []
    for await (const one of items(client, '/v1/escalations', { query })) {
      shown.push(one)
      io.progress(`${shown.length} approvals`)
    }
    io.result({ escalations: shown }, () =>
      shown.length === 0
        ? 'No approvals found.'
        : table(['ID', 'AGENT', 'TOOL', 'STATUS', 'EXPIRES', 'REASON'], shown.map(rowOf(io.paint))),
    )
    return 0
  },
})

const rowOf = (paint: Paint) => (one: Listed) => [
  one.escalation_id,
  printable(one.agent_id),
  printable(one.tool),
  paintStatus(one.status, paint),
  one.expires_at,
  printable(one.reason),
]

const APPROVAL = { approval: { summary: 'the id of the approval, such as esc-…' } }

const SIGN_IN = {
  email: { type: 'string', value: 'ADDRESS', summary: 'sign in as this user' },
} as const satisfies Flags

export const approvalsShow = command({
  path: ['approvals', 'show'],
  summary: 'show one call that needs or needed an approval',
  details: `The arguments are shown only to those who can approve the call: sign in with --email, or use an API
key with the scope approve. The password is read from standard input, without echo on a terminal.`,
  flags: SIGN_IN,
  args: APPROVAL,
  async run({ args, flags, io }) {
    const found = await withClient(flags.email, io, (client) =>
      client.request('GET', '/v1/escalations/{escalation_id}', {
        params: { escalation_id: args.approval },
      }),
    )
    io.result(found, () => describeApproval(found, io.paint))
    return 0
  },
})

const RESOLVING = `An owner or admin, or a person that the policy names, signs in with --email; the password is read from
standard input, without echo on a terminal. Without --email the API key is used, which needs the scope
approve, and cannot approve what it asked for itself.`

const RESOLVE_FLAGS = {
  ...SIGN_IN,
  note: { type: 'string', value: 'TEXT', summary: 'a note for the records' },
} as const satisfies Flags

export const approvalsApprove = command({
  path: ['approvals', 'approve'],
  summary: 'approve a tool call that waits for it',
  details: `${RESOLVING}
If several approvals are required, the call stays pending until the last one.`,
  flags: {
    ...RESOLVE_FLAGS,
    scope: {
      type: 'string',
      choices: ['call', 'session'],
      summary: 'this call, once (default), or the tool for the rest of the session',
    },
    minutes: { type: 'string', value: 'N', summary: 'valid for N minutes, 1 to 60; default: 15' },
  },
  args: APPROVAL,
  async run({ args, flags, io }) {
    const minutes = numberFlag('minutes', flags.minutes, { min: 1, max: 60 })
    const body: Resolution = {
      outcome: 'approve',
      ...(flags.note !== undefined && { note: flags.note }),
      ...(flags.scope !== undefined && { scope: flags.scope }),
      ...(minutes !== undefined && { ttl_minutes: minutes }),
    }
    return resolve(args.approval, { body, email: flags.email }, io)
  },
})

export const approvalsReject = command({
  path: ['approvals', 'reject'],
  summary: 'reject a tool call that waits for an approval',
  details: RESOLVING,
  flags: RESOLVE_FLAGS,
  args: APPROVAL,
  async run({ args, flags, io }) {
    const body: Resolution = {
      outcome: 'reject',
      ...(flags.note !== undefined && { note: flags.note }),
    }
    return resolve(args.approval, { body, email: flags.email }, io)
  },
})

type Resolving = { body: Resolution; email: string | undefined }

async function resolve(id: string, { body, email }: Resolving, io: Io): Promise<0> {
  const resolved = await withClient(email, io, (client) =>
    client.request('POST', '/v1/escalations/{escalation_id}/resolve', {
      params: { escalation_id: id },
      body,
    }),
  )
  io.result(resolved, () => describeApproval(resolved, io.paint))
  return 0
}

/** Signs in if an e-mail address is given, and uses the API key otherwise. */
async function withClient<T>(
  email: string | undefined,
  io: Io,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  if (email === undefined) return work((await connect(io)).client)
  const { url } = await getAccess(io)
  return withSession({ url, email }, io, work)
}
