import type { CounterState, Reservation } from '@touchstone/protocol/policy'
import type { GatewayCall } from './call.ts'
import type { Ledger, Recorder, SessionCounters } from './ports.ts'

/** How a call of a batch records its decision and reads the counters of its session. */
type BatchMember = {
  recorder: Recorder
  sessionCounters: SessionCounters
  /** Called once the call is decided, or could not be. */
  leave(): void
}

/** The counts that a call is about to take; `late` if it waits for the calls before it. */
type Offer = readonly Reservation[] | 'late'

/**
 * Decides the flows of a batch as though its calls came one after the other, although their decisions
 * are stored together: a call that a flow may stop waits until those before it in its session are
 * decided, and finds their marks. If a limit may still stop one of them, the call is stored after them,
 * and so are the later calls of its agent that limits count (ADR 0080).
 */
export function createBatchOrder(
  calls: readonly GatewayCall[],
  group: ReturnType<Ledger['group']>,
  sessionCounters: SessionCounters,
) {
  const places = calls.map((call) => ({
    call,
    offered: createSignal<Offer>(),
    settled: createSignal<void>(),
  }))

  return {
    member(at: number): BatchMember {
      const place = places[at]
      if (place === undefined) throw new Error('a batch has no such call')
      const { call, offered, settled } = place
      const ofAgent = places.slice(0, at).filter((of) => of.call.agentId === call.agentId)
      const ofSession = ofAgent.filter((of) => of.call.sessionId === call.sessionId)
      const { record, recordCounted, leave } = group.member(at)

      /** The members of a group are stored once all have recorded or left, so this one leaves. */
      const waitFor = async (earlier: readonly { settled: Signal<void> }[]): Promise<void> => {
        offered.fire('late')
        leave()
        await Promise.all(earlier.map((of) => of.settled.fired))
      }

      return {
        recorder: {
          record(decision, opening) {
            offered.fire([])
            return record(decision, opening)
          },
          async recordCounted(decision, reservations) {
            if (reservations.some(isLimited)) {
              const offers = await Promise.all(ofAgent.map((of) => of.offered.fired))
              if (offers.includes('late')) await waitFor(ofAgent)
            }
            offered.fire(reservations)
            return recordCounted(decision, reservations)
          },
        },

        sessionCounters: {
          async find(agent, keys) {
            const offers = await Promise.all(ofSession.map((of) => of.offered.fired))
            if (!offers.some((offer) => isUncertain(offer, keys))) {
              const states = await sessionCounters.find(agent, keys)
              return new Map([...states, ...offers.flatMap(statesAfter)])
            }
            await waitFor(ofSession)
            return sessionCounters.find(agent, keys)
          },
        },

        leave() {
          leave()
          offered.fire([])
          settled.fire()
        },
      }
    },
  }
}

/** Whether one of the counters may be taken or not: a call takes all of its counts or none of them. */
function isUncertain(offer: Offer, keys: readonly string[]): boolean {
  if (offer === 'late') return true
  return offer.some(isLimited) && offer.some(({ key }) => keys.includes(key))
}

/** Whether the count can be refused; a mark of a flow cannot. */
function isLimited({ max }: Reservation): boolean {
  return max !== null
}

function statesAfter(offer: Offer): [string, CounterState][] {
  if (offer === 'late') return []
  return offer
    .filter((of) => !isLimited(of))
    .map(({ key, expiresAtMs }) => [key, { used: 1, minutes: {}, expiresAtMs }])
}

type Signal<Value> = { fire(value: Value): void; fired: Promise<Value> }

/** Only the first value counts. */
function createSignal<Value>(): Signal<Value> {
  let fire: (value: Value) => void = () => undefined
  const fired = new Promise<Value>((resolve) => {
    fire = resolve
  })
  return { fired, fire }
}
