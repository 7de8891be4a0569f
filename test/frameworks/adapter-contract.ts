import { createTouchstone } from '@touchstone/sdk'
import { createGuard, type Guard } from '@touchstone/sdk/guard'
import { describe, expect, it } from 'vitest'
import {
  approvePending,
  bypassesOf,
  DESK_POLICY,
  decisionsOf,
  type GuardWorld,
  newDeskAgent,
} from '#harness/guarded.ts'
import { startPlannedProvider } from '#harness/mock-provider.ts'

/** A tool of the desk: `shop_broken` throws, the others answer with their name. */
export type DeskTool = { name: string; run(input: unknown): { ok: string } }

export type DeskOptions = { guard: Guard; tools: readonly DeskTool[]; modelUrl: string }

/** How far a run came: `pause` is set if it waits for an answer. */
export type Progress = {
  text: string
  pause?: {
    /** The request as the framework shows it to its user. */
    shown: unknown
    answer(isApproved: boolean): Promise<Progress>
  }
}

/** Runs an agent with these tools in a framework, on the prompt "Go". */
export type RunDesk = (options: DeskOptions) => Promise<Progress>

const TOOLS = ['shop_search', 'shop_broken', 'shop_refund', 'shell_run']
const REFUND = { thinking: 'It is late.' }
const REFUND_CALL = { tool: 'shop_refund', input: { amount: 20 }, id: 'call_9' }
const DONE = { parts: [{ text: 'Done.' }] }
const NO_SHELL = 'shell_run was not called: it is not allowed. No shell'

type Setting = {
  /** The policy lets the user of the framework approve refunds. */
  local?: boolean
  /** How the guard reaches the service. */
  connection?: { baseUrl?: string; token?: string }
}

/** An agent with the policy of the desk, its guard and tools, and a scripted model. */
export async function newDesk(w: GuardWorld, { local = false, connection = {} }: Setting = {}) {
  const agentId = await newDeskAgent(w, { local })
  const onOutcomeLost = ({ reason }: { reason: string }) => expect.fail(reason)
  const client = createTouchstone({ baseUrl: w.baseUrl, token: w.t.first.api_key })
  const guarded = createTouchstone({
    baseUrl: w.baseUrl,
    token: w.t.first.api_key,
    retries: 0,
    ...connection,
  })
  const guard = createGuard({ client: guarded, agentId, onOutcomeLost })
  const provider = await startPlannedProvider()
  const made: string[] = []
  const tools = TOOLS.map((name) => ({
    name,
    run(input: unknown) {
      made.push(`${name} ${JSON.stringify(input)}`)
      if (name === 'shop_broken') throw new RangeError('broken')
      return { ok: name }
    },
  }))
  return {
    options: { guard, tools, modelUrl: provider.url },
    provider,
    made,
    approve: () => approvePending(w, agentId),
    /** Allows a tool of the framework itself. */
    async allow(tool: string) {
      const capability_mappings = {
        ...DESK_POLICY.capability_mappings,
        own: { tools: [tool], card_actions: ['search'] },
      }
      await w.touchstone.policies.put(agentId, { ...DESK_POLICY, capability_mappings })
    },
    /** Every decision with the outcome that was reported. */
    async decisions(): Promise<string[]> {
      await guard.flush()
      const decisions = await decisionsOf(w, agentId)
      return decisions.map((one) => [one.decision, one.tool, one.outcome?.status].join(' '))
    },
    async bypasses(): Promise<number> {
      await guard.flush()
      return bypassesOf(w, agentId)
    },
    async reasoning(): Promise<(string | undefined)[]> {
      await guard.flush()
      const { traces } = await client.request('GET', '/v1/traces', {
        query: { agent_id: agentId },
      })
      return traces.map(({ decision }) => decision.selection_reasoning).reverse()
    },
    /** The last request to the model. */
    told: () => JSON.stringify(provider.requests.at(-1)?.body),
  }
}

async function pausedDesk(w: GuardWorld, runDesk: RunDesk, policy: { local?: boolean } = {}) {
  const desk = await newDesk(w, policy)
  desk.provider.plan({ parts: [REFUND, REFUND_CALL] }, DONE)
  const { pause } = await runDesk(desk.options)
  if (pause === undefined) throw new Error('The run did not pause.')
  return { ...desk, pause }
}

/** Guarantees that a framework does not allow. */
type Limits = {
  /** False if the answer of the framework's user cannot be told from one of the model. */
  hasLocalApproval?: boolean
  /** When a run pauses, the model never learns the results of the other calls of its turn. */
  losesOtherResults?: boolean
}

/** The guarantees of every adapter, in runs of its framework with a scripted model. */
export function itKeepsTheContract(
  w: GuardWorld,
  runDesk: RunDesk,
  { hasLocalApproval = true, losesOtherResults = false }: Limits = {},
): void {
  describe('the adapter', () => {
    it('has every call decided before it is made, and reports its outcome', async () => {
      const desk = await newDesk(w)
      desk.provider.plan(
        {
          parts: [
            { thinking: 'Look first.' },
            { tool: 'shop_search', input: { order: 1 }, id: 'c1' },
          ],
        },
        {
          parts: [{ text: 'Now ask.' }, { tool: 'shell_run', input: { command: 'ls' }, id: 'c2' }],
        },
        { parts: [{ tool: 'shop_broken', input: {}, id: 'c3' }] },
        DONE,
      )
      expect(await runDesk(desk.options)).toEqual({ text: 'Done.' })
      expect(desk.made).toEqual(['shop_search {"order":1}', 'shop_broken {}'])
      expect(await desk.decisions()).toEqual([
        'allow shop_search executed',
        'block shell_run not_executed',
        'allow shop_broken failed',
      ])
      expect(await desk.reasoning()).toEqual([
        'Look first.',
        'Now ask.',
        expect.stringMatching(/^(shop_broken is allowed|Now ask\.)$/),
      ])
      // A refusal reaches the model as the result of the call.
      expect(desk.told()).toContain(NO_SHELL)
    })

    it('pauses the run for an approval, and makes the call once', async () => {
      const { pause, made, approve, decisions, reasoning } = await pausedDesk(w, runDesk)
      expect(made).toEqual([])
      expect(JSON.stringify(pause.shown)).toContain('shop_refund')
      await approve()
      expect(await pause.answer(true)).toEqual({ text: 'Done.' })
      expect(made).toEqual(['shop_refund {"amount":20}'])
      expect(await decisions()).toEqual([
        'escalate shop_refund not_executed',
        'allow shop_refund executed',
      ])
      expect(await reasoning()).toEqual(['It is late.', 'It is late.'])
    })

    it('makes the other calls of the same turn once', async () => {
      const desk = await newDesk(w)
      const search = { tool: 'shop_search', input: { order: 1 }, id: 'call_1' }
      desk.provider.plan({ parts: [REFUND, search, REFUND_CALL] }, DONE)
      const { pause } = await runDesk(desk.options)
      await desk.approve()
      expect(await pause?.answer(true)).toEqual({ text: 'Done.' })
      expect(desk.made).toEqual(['shop_search {"order":1}', 'shop_refund {"amount":20}'])
      expect((await desk.decisions()).sort()).toEqual([
        'allow shop_refund executed',
        'allow shop_search executed',
        'escalate shop_refund not_executed',
      ])
      expect(desk.told()).toMatch(
        losesOtherResults ? /ok.*shop_refund/ : /ok.*shop_search.*ok.*shop_refund/,
      )
    })

    it('does not make a call that the user rejects, even if it was approved', async () => {
      const { pause, made, approve, decisions, told } = await pausedDesk(w, runDesk)
      await approve()
      expect(await pause.answer(false)).toEqual({ text: 'Done.' })
      expect(made).toEqual([])
      expect(await decisions()).toEqual(['escalate shop_refund not_executed'])
      expect(told()).toMatch(/not approved|denied/)
    })

    it('does not make a call that only the user approved', async () => {
      const { pause, made, bypasses, told } = await pausedDesk(w, runDesk)
      expect(await pause.answer(true)).toEqual({ text: 'Done.' })
      expect(made).toEqual([])
      expect(told()).toContain('a person has to approve it first')
      expect(await bypasses()).toBe(0)
    })

    it('takes the approval of a call for no other call with its id', async () => {
      const desk = await newDesk(w, { local: true })
      const dearer = { ...REFUND_CALL, input: { amount: 2000 } }
      desk.provider.plan({ parts: [REFUND, REFUND_CALL, dearer] }, DONE)
      const { pause } = await runDesk(desk.options)
      const approved = JSON.stringify(pause?.shown).includes('2000') ? dearer : REFUND_CALL
      // Some frameworks refuse such calls.
      await pause?.answer(true).catch(() => undefined)
      const allowed = `shop_refund ${JSON.stringify(approved.input)}`
      expect(desk.made.filter((made) => made !== allowed)).toEqual([])
    })

    it.each([
      ['the service cannot be reached', { baseUrl: 'http://127.0.0.1:1' }],
      ['the key is not valid', { token: 'wrong' }],
    ])('makes no call if %s', async (_, connection) => {
      const desk = await newDesk(w, { connection })
      const call = { tool: 'shop_search', input: {}, id: 'call_1' }
      desk.provider.plan({ parts: [call] }, DONE)
      // Some frameworks tell the model of the error, others end the run with it.
      await runDesk(desk.options).catch(() => undefined)
      expect(desk.made).toEqual([])
    })

    const whoApproves = hasLocalApproval
      ? 'lets the user approve if the policy does'
      : 'leaves every approval to the service'
    it(whoApproves, async () => {
      const { pause, made, decisions, bypasses } = await pausedDesk(w, runDesk, { local: true })
      expect(await pause.answer(true)).toEqual({ text: 'Done.' })
      expect(made).toEqual(hasLocalApproval ? ['shop_refund {"amount":20}'] : [])
      const outcome = hasLocalApproval ? 'executed' : 'not_executed'
      expect((await decisions()).at(-1)).toBe(`escalate shop_refund ${outcome}`)
      expect(await bypasses()).toBe(0)
    })
  })
}
