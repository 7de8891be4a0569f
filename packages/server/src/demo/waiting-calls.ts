import type { Step } from './client.ts'
import { type Programs, requestDecision, toolCallSteps } from './tool-call-steps.ts'
import type { ToolCall } from './tool-calls.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

type Who = { piper: string; clerk: string; harbor: string }

type Made = Pick<ToolCall, 'tool' | 'args'> &
  Partial<Pick<ToolCall, 'justification' | 'approval'>> & { minutesAgo: number }

/**
 * The sessions that a visitor finds open: two calls wait for a person and one was just refused, each after other calls
 * of its session. Earlier answers to the same tools came days before.
 */
export function openSteps(now: Date, programs: Programs, { piper, clerk, harbor }: Who): Step[] {
  const callsOf = (agentId: string, session: string, made: readonly Made[]): ToolCall[] =>
    made.map(({ minutesAgo, ...about }, place) => ({
      justification: '',
      approval: undefined,
      ...about,
      agentId,
      sessionId: `${agentId}-${session}`,
      callId: `call-${session}-${place}`,
      at: new Date(now.getTime() - minutesAgo * MINUTE_MS),
      result: { status: 'executed', duration_ms: 180 + 95 * place },
      bypasses: false,
    }))
  const made = [
    ...callsOf(piper, 'lamp', [
      { minutesAgo: days(4), tool: 'check_order', args: { order: 'A-76310' } },
      {
        minutesAgo: days(4) - 2,
        tool: 'refund',
        args: { claim: 2204, order: 'A-76310', amount: 265, currency: 'EUR', reason: 'wrong lamp' },
        justification: 'The parcel contained the wrong lamp, and the customer has sent it back.',
        approval: 'approve',
      },
    ]),
    ...callsOf(piper, 'late', [
      {
        minutesAgo: days(2),
        tool: 'refund',
        args: {
          claim: 2251,
          order: 'A-76902',
          amount: 510,
          currency: 'EUR',
          reason: 'late return',
        },
        justification: 'The return came a week after the deadline; the customer was on holiday.',
        approval: 'reject',
      },
    ]),
    ...callsOf(piper, 'today', [
      { minutesAgo: 6, tool: 'check_order', args: { order: 'A-77120' } },
      { minutesAgo: 4, tool: 'ask_manager', args: { claim: 2291 } },
    ]),
    ...callsOf(clerk, 'today', [
      { minutesAgo: 9, tool: 'match_invoice', args: { invoice: 'R-2026-0412' } },
      { minutesAgo: 7, tool: 'ask_supplier', args: { supplier: 'Nordlicht Papier' } },
    ]),
    ...callsOf(harbor, 'today', [
      { minutesAgo: 12, tool: 'run_checks', args: { build: 4410 } },
      { minutesAgo: 8, tool: 'deploy_staging', args: { build: 4410 } },
    ]),
  ]
  const open = [
    ...callsOf(harbor, 'today', [{ minutesAgo: 0, tool: 'disable_alerts', args: { minutes: 30 } }]),
    ...callsOf(piper, 'today', [
      {
        minutesAgo: 0,
        tool: 'refund',
        args: {
          claim: 2291,
          order: 'A-77120',
          amount: 420,
          currency: 'EUR',
          reason: 'broken pane',
        },
        justification:
          'The photos show a broken pane, and the carrier has confirmed the damage. The rules of the shop grant a full refund, but the amount is above my limit.',
      },
    ]),
    ...callsOf(clerk, 'today', [
      {
        minutesAgo: 0,
        tool: 'prepare_payment',
        args: {
          invoice: 'R-2026-0412',
          supplier: 'Nordlicht Papier',
          amount: 812.5,
          currency: 'EUR',
        },
        justification:
          'The invoice matches the order. The difference from last month is a second delivery, which the warehouse has signed for.',
      },
    ]),
  ]
  return [
    ...toolCallSteps(made, programs, { cuts: [], now }),
    ...open.map((call) => ({
      at: call.at,
      run: async (client: Parameters<Step['run']>[0]) => {
        const waiting = { ...call, callId: `${call.callId}-open`, result: undefined }
        await requestDecision(client, waiting, programs.get(call.agentId))
      },
    })),
  ]
}

const days = (count: number) => (count * DAY_MS) / MINUTE_MS
