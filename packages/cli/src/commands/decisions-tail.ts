import { command } from '../command.ts'
import { LIVE_FILTERS, queryOf } from '../decisions/decision-filter.ts'
import { followDecisions } from '../decisions/follow-decisions.ts'
import { liveLine } from '../decisions/live-decision.ts'
import { jsonText } from '../json-text.ts'
import { numberFlag } from '../number-flag.ts'
import { connect } from '../service.ts'

const LAST = 10

export const decisionsTail = command({
  path: ['decisions', 'tail'],
  summary: 'print decisions as they are made, until stopped',
  details: `One line each; with --json one JSON object per line. After an interruption it reconnects and
prints the decisions that were made meanwhile.`,
  flags: {
    ...LIVE_FILTERS,
    last: { type: 'string', value: 'N', summary: `start with the last N; default: ${LAST}` },
  },
  args: {},
  async run({ flags, io }) {
    const last = numberFlag('last', flags.last, { min: 0, max: 1000 }) ?? LAST
    const stop = io.stopSignal()
    const following = {
      filter: queryOf(flags, io.env.agent),
      last,
      onDecision: (one: Parameters<typeof liveLine>[0]) =>
        io.write(`${io.json ? jsonText(one) : liveLine(one, io.paint)}\n`),
      onLive: () => io.note('Connected. Stop with Ctrl-C.'),
      onInterrupted: () => io.note('The connection was interrupted. Reconnecting.'),
      onGap: () =>
        io.note('More decisions were made during the interruption; "decisions list" has them all.'),
    }
    await followDecisions(await connect(io), following, stop)
    return 0
  },
})
