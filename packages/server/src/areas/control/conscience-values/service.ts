import type { EffectiveValue } from '@touchstone/protocol/cards'
import type { Actor, Audit } from '../../../audit.ts'
import type { Clock } from '../../../kernel/clock.ts'
import type { Page, PageRequest } from '../../../kernel/db.ts'
import { type Db, transact } from '../../../kernel/db.ts'
import type { Events } from '../../../kernel/events.ts'
import { newId, type OrgId } from '../../../kernel/ids.ts'
import type { Notices } from '../../../kernel/notices.ts'
import { Problem } from '../../../kernel/problem.ts'
import {
  addValue,
  changeValue,
  INITIAL,
  type Logged,
  removeValue,
  reorderValues,
  type Setting,
  type StoredValue,
  switchMode,
  VALUES_MAX,
  type ValueFields,
  type Written,
} from './conscience-set.ts'
import { createValuesInForce, type ValuesInForce } from './in-force-service.ts'
import type { Cards } from './ports.ts'
import { createConscienceStore, type LogEntry, type Revised } from './store.ts'

export type ConscienceDeps = {
  db: Db
  clock: Clock
  audit: Audit
  events: Events
  notices: Notices
  cards: Cards
}

/** The organisation that is changed, and the author of the change. */
export type Author = { orgId: string; accountId: string; actor: Actor }

export type ConscienceSet = Setting & { orgId: string; values: readonly StoredValue[] }

export type ConscienceService = ReturnType<typeof createConscienceService>

export function createConscienceService(deps: ConscienceDeps) {
  const inForce = createValuesInForce(deps)
  const queries = createQueries(deps)
  const changes = createChanges(deps, inForce)
  return {
    get: queries.get,
    assertValue: queries.assertValue,
    log: queries.log,
    resolve: queries.resolve,
    add: changes.add,
    change: changes.change,
    remove: changes.remove,
    reorder: changes.reorder,
    setMode: changes.setMode,
    /** For evaluating agents: cached until the values change. */
    inForce: inForce.find,

    /** Erases all values, settings and log entries of the organisation. */
    async eraseOrg(tx: Db, orgId: OrgId): Promise<void> {
      await createConscienceStore(tx).deleteOf(orgId)
      await inForce.invalidate(tx, orgId)
    },
  }
}

function createQueries(deps: ConscienceDeps) {
  const store = createConscienceStore(deps.db)
  return {
    async get(orgId: string): Promise<ConscienceSet> {
      const { mode, enabled } = (await store.find(orgId)) ?? INITIAL
      return { orgId, mode, enabled, values: await store.list(orgId) }
    },

    async assertValue(orgId: string, valueId: string): Promise<void> {
      if ((await store.list(orgId)).some(({ id }) => id === valueId)) return
      throw refusal('unknown')
    },

    log: (orgId: string, page: PageRequest): Promise<Page<LogEntry>> => store.listLog(orgId, page),

    /** All values that apply to an agent, from every source. */
    async resolve(agentId: string): Promise<readonly EffectiveValue[]> {
      const values = await deps.cards.findValues(agentId)
      if (values === undefined) throw new Problem('agent_not_found', 'No such agent.')
      return values
    },
  }
}

type Found = { setting: Revised; values: readonly StoredValue[] }
type Store = ReturnType<typeof createConscienceStore>
type Save<Result> = (store: Store, result: Result, revision: number) => Promise<void>

function createChanges(deps: ConscienceDeps, inForce: ValuesInForce) {
  /** If nothing changes, nothing is stored or announced. */
  const write = async <Result>(
    author: Author,
    change: (found: Found) => Written<Result>,
    save: Save<Result>,
  ): Promise<{ result: Result; changed: boolean }> => {
    const { orgId } = author
    const written = await transact(deps.db, async (tx) => {
      const store = createConscienceStore(tx)
      const setting = await store.lockOrCreateSettings(orgId)
      const outcome = change({ setting, values: await store.list(orgId) })
      if (outcome.outcome === 'same') return { result: outcome.result, changed: false }
      if (outcome.outcome !== 'changed') throw refusal(outcome.outcome)
      const revision = setting.revision + 1
      await store.saveSettings(orgId, { ...setting, revision })
      await save(store, outcome.result, revision)
      await announce(deps, tx, { author, revision, logged: outcome.logged })
      await inForce.invalidate(tx, orgId)
      return { result: outcome.result, changed: true }
    })
    if (written.changed) inForce.evict(orgId)
    return written
  }
  const touch = ({ actor }: Author) => ({ by: actor.userId, at: deps.clock.now() })

  return {
    async add(author: Author, fields: ValueFields): Promise<StoredValue> {
      const identity = { id: newId('cv'), orgId: author.orgId, ...touch(author) }
      const add = ({ values }: Found) => addValue(values, fields, identity)
      return (await write(author, add, (store, value) => store.save(value))).result
    },

    async change(
      author: Author,
      valueId: string,
      patch: Partial<ValueFields>,
    ): Promise<StoredValue> {
      const change = ({ values }: Found) => changeValue(values, valueId, patch, touch(author))
      return (await write(author, change, (store, value) => store.save(value))).result
    },

    async remove(author: Author, valueId: string): Promise<void> {
      const remove = ({ values }: Found) => removeValue(values, valueId)
      await write(author, remove, (store, value) => store.remove(value.id))
    },

    reorder: (author: Author, order: readonly string[]) =>
      write(
        author,
        ({ values }) => reorderValues(values, order),
        (store, ids) => store.saveOrder(author.orgId, ids),
      ),

    async setMode(author: Author, wanted: Partial<Setting>): Promise<Setting> {
      const change = ({ setting: { mode, enabled } }: Found) =>
        switchMode({ mode, enabled }, wanted)
      const save: Save<Setting> = (store, setting, revision) =>
        store.saveSettings(author.orgId, { ...setting, revision })
      return (await write(author, change, save)).result
    },
  }
}

/** Writes log entry, audit entry and event in the transaction of the change. */
async function announce(
  deps: ConscienceDeps,
  tx: Db,
  { author, revision, logged }: { author: Author; revision: number; logged: Logged },
): Promise<void> {
  const { orgId, accountId, actor } = author
  const { action, valueId } = logged
  const entry = { id: newId('cvl'), orgId, revision, actor: actor.id, createdAt: deps.clock.now() }
  await createConscienceStore(tx).insertLog({ ...logged, ...entry })
  await deps.audit.record(tx, {
    orgId,
    action: `conscience.${action}`,
    actor,
    target:
      valueId === null ? { type: 'org', id: orgId } : { type: 'conscience_value', id: valueId },
    // The old and new values are in the log of conscience values.
    changes: { revision: { from: revision - 1, to: revision } },
  })
  await deps.events.emit(tx, {
    type: 'conscience.values_updated',
    orgId,
    accountId,
    data: { org_id: orgId, action, value_id: valueId, actor: actor.id },
  })
}

function refusal(outcome: 'unknown' | 'full' | 'name_taken' | 'not_every_id_once'): Problem {
  switch (outcome) {
    case 'unknown':
      return new Problem('not_found', 'No such conscience value.')
    case 'full': {
      const message = `An organisation can have at most ${VALUES_MAX} conscience values; delete one first.`
      const details = [{ path: '', code: 'too_large', message }]
      return new Problem('invalid_request', message, { details })
    }
    case 'name_taken':
      return new Problem('conflict', 'A conscience value with this name already exists.')
    case 'not_every_id_once': {
      const message = 'must list every conscience value of the organisation exactly once'
      const details = [{ path: '/order', code: 'required', message }]
      return new Problem('invalid_request', `order: ${message}`, { details })
    }
  }
}
