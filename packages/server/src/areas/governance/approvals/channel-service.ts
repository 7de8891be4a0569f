import { isJsonObject } from '@touchstone/protocol/base'
import type { Actor, Audit } from '../../../audit.ts'
import type { Clock } from '../../../kernel/clock.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import type { OrgId } from '../../../kernel/ids.ts'
import type { Jobs } from '../../../kernel/jobs.ts'
import { Problem } from '../../../kernel/problem.ts'
import {
  type ApprovalMessage,
  bodyFor,
  CHANNELS,
  type Channel,
  mailOf,
} from './approval-message.ts'
import { createChannelStore } from './channel-store.ts'
import type { Escalation } from './escalation.ts'
import type { AgentNames, ChannelEndpoints, Mailer, Members } from './ports.ts'

const TELL_JOB = 'approvals.tell'

export type ChannelDeps = {
  db: Db
  clock: Clock
  audit: Audit
  jobs: Jobs
  mailer: Mailer
  members: Members
  agentNames: AgentNames
  endpoints: ChannelEndpoints
}

/** Access to escalations, whose arguments only messages to approvers show. */
export type EscalationSource = {
  find(escalationId: string): Promise<Escalation | undefined>
  argumentsTextOf(escalation: Escalation): Promise<string | null>
  approveUrl(escalationId: string): string
}

export type ApprovalChannels = {
  memberIds: readonly string[]
  urls: Readonly<Record<Channel, string | null>>
}

/** Tells people of new escalations, by e-mail and in Slack and Teams. */
export function createChannels(deps: ChannelDeps, source: EscalationSource) {
  const nameOf = (channel: Channel) => `approvals_${channel}`

  const messageOf = async (escalation: Escalation): Promise<ApprovalMessage> => ({
    agentName: (await deps.agentNames.nameOf(escalation.agentId)) ?? escalation.agentId,
    tool: escalation.tool,
    reason: escalation.reason,
    condition: escalation.triggers[0]?.condition ?? null,
    argumentsText: await source.argumentsTextOf(escalation),
    approveUrl: source.approveUrl(escalation.escalationId),
  })

  /** Runs in a job: other features know the members and the name of the agent. */
  const tell = async (escalationId: string): Promise<void> => {
    const escalation = await source.find(escalationId)
    if (escalation === undefined) return
    const { orgId } = escalation
    const memberIds = (await createChannelStore(deps.db).findMembers(orgId)) ?? []
    const emails = memberIds.length === 0 ? [] : await deps.members.emailsOf(orgId, memberIds)
    const { subject, text } = mailOf(await messageOf(escalation))
    await transact(deps.db, async (tx) => {
      if (!(await createChannelStore(tx).markTold(escalationId, deps.clock.now()))) return
      for (const to of emails) {
        await deps.mailer.queue(tx, { kind: 'approval_needed', to, subject, text })
      }
      await deps.endpoints.send(tx, {
        orgId,
        channels: CHANNELS.map(nameOf),
        type: 'trace.escalation_required',
        reference: { escalation_id: escalationId },
      })
    })
  }
  deps.jobs.handle(TELL_JOB, (payload) => tell(parseTell(payload)))

  const get = async (orgId: string): Promise<ApprovalChannels> => {
    const memberIds = (await createChannelStore(deps.db).findMembers(orgId)) ?? []
    const urls = await deps.endpoints.urlsOf(orgId)
    const urlOf = (channel: Channel) => urls.get(nameOf(channel)) ?? null
    return { memberIds, urls: { slack: urlOf('slack'), teams: urlOf('teams') } }
  }

  return {
    get,

    async set(
      org: { orgId: string; accountId: string },
      wanted: ApprovalChannels,
      actor: Actor,
    ): Promise<ApprovalChannels> {
      const { orgId } = org
      for (const channel of CHANNELS) {
        const url = wanted.urls[channel]
        if (url !== null) await deps.endpoints.assertAllowed(url, `${channel}_webhook_url`)
      }
      await assertMembers(deps.members, orgId, wanted.memberIds)
      const before = await get(orgId)
      await transact(deps.db, async (tx) => {
        await createChannelStore(tx).save(orgId, wanted.memberIds, deps.clock.now())
        for (const channel of CHANNELS) {
          await deps.endpoints.set(tx, org, { channel: nameOf(channel), url: wanted.urls[channel] })
        }
        await deps.audit.record(tx, {
          orgId,
          action: 'approval_channels.changed',
          actor,
          target: { type: 'org', id: orgId },
          changes: {
            email: { from: before.memberIds.join(' '), to: wanted.memberIds.join(' ') },
            // The addresses are secrets, so the log says only whether there are any.
            slack: { from: before.urls.slack !== null, to: wanted.urls.slack !== null },
            teams: { from: before.urls.teams !== null, to: wanted.urls.teams !== null },
          },
        })
      })
      return get(orgId)
    },

    /** In the transaction that opens the escalation. */
    async announce(tx: Db, { orgId, escalationId }: Escalation): Promise<void> {
      if ((await createChannelStore(tx).findMembers(orgId)) === undefined) return
      await deps.jobs.enqueue(tx, TELL_JOB, { escalation_id: escalationId })
    },

    /** The body of a message when it is sent; undefined if the escalation is gone. */
    async render(name: string, reference: unknown): Promise<string | undefined> {
      const channel = CHANNELS.find((one) => nameOf(one) === name)
      if (channel === undefined) return undefined
      const escalation = await source.find(parseTell(reference))
      return escalation && bodyFor(channel, await messageOf(escalation))
    },

    /** Runs in the transaction that erases the organisation. */
    erase: (tx: Db, orgId: OrgId): Promise<void> => createChannelStore(tx).deleteOfOrg(orgId),
  }
}

async function assertMembers(
  members: Members,
  orgId: string,
  memberIds: readonly string[],
): Promise<void> {
  const known = new Set(await members.idsOf(orgId))
  const at = memberIds.findIndex((id) => !known.has(id))
  if (at === -1) return
  const message = 'must be a member of the organisation'
  throw new Problem('invalid_request', `email/${at}: ${message}`, {
    details: [{ path: `/email/${at}`, code: 'unknown', message }],
  })
}

function parseTell(payload: unknown): string {
  const id = isJsonObject(payload) ? payload['escalation_id'] : undefined
  if (typeof id === 'string') return id
  throw new Error(`${TELL_JOB}: escalation_id must be a string`)
}
