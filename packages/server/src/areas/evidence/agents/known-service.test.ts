import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { testClock } from '#harness/clock.ts'
import { testDatabase, testNotices } from '#harness/database.ts'
import { eventually } from '#harness/eventually.ts'
import type { Database } from '../../../database/database.ts'
import { transact } from '../../../kernel/db.ts'
import { createKnownAgents, type KnownAgents } from './known-service.ts'

let database: Database
let here: KnownAgents
let there: KnownAgents
const clock = testClock()

beforeAll(async () => {
  database = await testDatabase()
  const { db } = database
  here = createKnownAgents({ db, clock, notices: await testNotices(database) })
  there = createKnownAgents({ db, clock, notices: await testNotices(database) })
})

async function register(agentId: string): Promise<void> {
  const at = clock.now()
  await sql`insert into agent (agent_id, org_id, name, visibility, status, enforcement_mode,
      metadata, claim_verifier, card_id, card_version, created_at, updated_at, archived_with_org)
    values (${agentId}, 'org-1', ${agentId}, 'public', 'active', 'observe', '{}', 'v', 'ac-1', 1,
      ${at}, ${at}, false)`.execute(database.db)
}

async function setMode(agentId: string, mode: string, told: readonly string[]): Promise<void> {
  await transact(database.db, async (tx) => {
    await sql`update agent set enforcement_mode = ${mode} where agent_id = ${agentId}`.execute(tx)
    await here.invalidate(tx, told)
  })
}

const modeOf = async (known: KnownAgents, agentId: string) =>
  (await known.find(agentId))?.enforcementMode

describe('the agent cache', () => {
  it('reads through for known agents and finds nothing for unknown ones', async () => {
    expect(await here.find('agent-0')).toBeUndefined()
    await register('agent-0')
    const known = { orgId: 'org-1', status: 'active', enforcementMode: 'observe' }
    expect(await here.find('agent-0')).toEqual(known)
  })

  it('is invalidated immediately on the changing node, and on others by a notice', async () => {
    await register('agent-1')
    expect([await modeOf(here, 'agent-1'), await modeOf(there, 'agent-1')]).toEqual([
      'observe',
      'observe',
    ])
    await setMode('agent-1', 'enforce', ['agent-1'])
    here.evict('agent-1')
    expect(await modeOf(here, 'agent-1')).toBe('enforce')
    await eventually(async () => expect(await modeOf(there, 'agent-1')).toBe('enforce'))
  })

  it('is invalidated as a whole if too many agents change at once', async () => {
    await register('agent-2')
    await modeOf(there, 'agent-2')
    const many = Array.from({ length: 101 }, (_, n) => `agent-many-${n}`)
    await setMode('agent-2', 'nudge', many)
    await eventually(async () => expect(await modeOf(there, 'agent-2')).toBe('nudge'))
  })

  it('does not keep a read that raced with a change', async () => {
    await register('agent-3')
    const reading = here.find('agent-3')
    here.evict('agent-3')
    await reading
    await sql`update agent set enforcement_mode = 'nudge' where agent_id = 'agent-3'`.execute(
      database.db,
    )
    expect(await modeOf(here, 'agent-3')).toBe('nudge')
  })
})
