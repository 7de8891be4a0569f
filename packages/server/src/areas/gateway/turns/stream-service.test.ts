import { anthropicWire } from '@touchstone/protocol/model-wire'
import { describe, expect, it } from 'vitest'
import type { ModelConnection } from '../../../model-turn.ts'
import type { Decider, GatewayCall, TurnFacts } from './ports.ts'
import { createTurnStream } from './stream-service.ts'

const event = (fields: { type: string } & Record<string, unknown>) =>
  `event: ${fields.type}\ndata: ${JSON.stringify(fields)}\n\n`
const text = (index: number, words: string) =>
  event({ type: 'content_block_start', index, content_block: { type: 'text', text: words } }) +
  event({ type: 'content_block_stop', index })
const call = (index: number, name = 'search') =>
  event({
    type: 'content_block_start',
    index,
    content_block: { type: 'tool_use', id: `call_${index}`, name, input: {} },
  }) + event({ type: 'content_block_stop', index })

const nextTick = () => new Promise((resolve) => setImmediate(resolve))

/** A stream whose decisions wait until the test lets them go on. */
function openStream(mode: ModelConnection['mode'] = 'enforce') {
  const batches: string[][] = []
  const waiting: (() => void)[] = []
  const approve = new Map<string, (isApproved: boolean) => void>()
  let out = ''
  let hasEnded = false
  let judgedNumbers: number[] = []
  const decideOne = ({ tool, callId, escalationId }: GatewayCall) => {
    const isEscalated = tool === 'refund' && escalationId === undefined
    return {
      status: 'fulfilled' as const,
      value: {
        decisionId: `dec-${callId}`,
        result: {
          decision: {
            decision: isEscalated ? ('escalate' as const) : ('allow' as const),
            reasons: [],
          },
          escalationId: isEscalated ? callId : null,
        },
        isRecorded: true,
        isReplayed: false,
      },
    }
  }
  const decider = {
    async decideAll(_org: unknown, calls: readonly GatewayCall[]) {
      batches.push(calls.map(({ callId }) => callId))
      await new Promise<void>((resolve) => waiting.push(resolve))
      return calls.map(decideOne)
    },
  }
  const facts = {
    turnId: 'turn',
    org: { orgId: 'org', accountId: 'acc' },
    agentId: 'agent',
    connection: { connectionId: 'con', mode, onError: 'fail_closed' },
    client: null,
    sessionId: 's',
    outcomesReported: Promise.resolve(),
  } as unknown as TurnFacts
  const stream = createTurnStream({
    deps: {
      decider: decider as unknown as Decider,
      approvals: {
        approveUrl: (id) => `https://x.test/approvals/${id}`,
        awaitAnswer: (id) => new Promise((resolve) => approve.set(id, resolve)),
      },
      thinking: { of: () => async () => false },
      escalationHoldMs: 60_000,
      elapsedMs: () => 0,
      keepAliveMs: 60_000,
      onHeld: () => undefined,
      onError: (err) => expect(err).toBeUndefined(),
    },
    facts,
    stream: anthropicWire.createStream({ isHolding: mode === 'enforce' }),
    sink: {
      write: (chunks) => {
        for (const one of chunks) out += new TextDecoder().decode(one)
      },
      end: () => {
        hasEnded = true
      },
      stop: () => undefined,
    },
    end: async ({ judged }) => {
      judgedNumbers = judged.map(({ n }) => n)
    },
  })
  return {
    batches,
    approve,
    waiting,
    out: () => out,
    hasEnded: () => hasEnded,
    judgedNumbers: () => judgedNumbers,
    push: (bytes: string) => stream.push(new TextEncoder().encode(bytes)),
    end: () => stream.end(),
    /** Lets the decisions go on that run now. */
    async decide() {
      await nextTick()
      for (const go of waiting.splice(0)) go()
      await nextTick()
    },
  }
}

describe.each(['enforce', 'observe'] as const)('a streamed turn in mode %s', (mode) => {
  it('has one batch of calls decided at a time, at most fifty and in order', async () => {
    const turn = openStream(mode)
    for (let n = 0; n < 120; n += 1) turn.push(call(n))
    const ended = turn.end()
    await nextTick()
    expect(turn.waiting).toHaveLength(1)
    for (let n = 0; n < 4; n += 1) await turn.decide()
    const [first, ...others] = turn.batches
    expect(first).toEqual(['call_0'])
    expect(others.map((batch) => batch.length)).toEqual([50, 50, 19])
    expect(turn.batches.flat()).toEqual(Array.from({ length: 120 }, (_, n) => `call_${n}`))
    await ended
    expect(turn.hasEnded()).toBe(true)
    expect(turn.judgedNumbers()).toEqual(Array.from({ length: 120 }, (_, n) => n + 1))
    expect(turn.out()).toBe(Array.from({ length: 120 }, (_, n) => call(n)).join(''))
  })
})

describe('a streamed turn', () => {
  it('passes text at once before its calls, and calls as soon as their batch is decided', async () => {
    const turn = openStream()
    turn.push(text(0, 'A'))
    expect(turn.out()).toBe(text(0, 'A'))
    turn.push(call(1) + text(2, 'B'))
    turn.push(call(3))
    turn.push(call(4))
    expect(turn.out()).toBe(text(0, 'A'))
    await turn.decide()
    expect(turn.out()).toBe(text(0, 'A') + call(1) + text(2, 'B'))
    await turn.decide()
    expect(turn.out()).toBe(text(0, 'A') + call(1) + text(2, 'B') + call(3) + call(4))
    expect(turn.batches).toEqual([['call_1'], ['call_3', 'call_4']])
    turn.push(text(5, 'C') + call(6))
    expect(turn.out()).toContain(text(5, 'C'))
    const ended = turn.end()
    await turn.decide()
    await ended
    expect(turn.out()).toContain(call(6))
  })

  it('has calls decided while one waits for an approval, which holds only what follows', async () => {
    const turn = openStream()
    turn.push(call(0) + call(1) + call(2, 'refund') + call(3))
    await turn.decide()
    expect(turn.out()).toBe(call(0) + call(1))
    turn.push(call(4, 'refund'))
    const ended = turn.end()
    await turn.decide()
    expect([...turn.approve.keys()]).toEqual(['call_2', 'call_4'])
    turn.approve.get('call_4')?.(true)
    turn.approve.get('call_2')?.(true)
    await nextTick()
    expect(turn.batches.slice(2)).toEqual([['call_4']])
    await turn.decide()
    await turn.decide()
    await ended
    expect(turn.batches.slice(2)).toEqual([['call_4'], ['call_2']])
    expect(turn.out()).toBe(call(0) + call(1) + call(2, 'refund') + call(3) + call(4, 'refund'))
  })
})
