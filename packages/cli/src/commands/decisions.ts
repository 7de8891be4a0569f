import { cursorItems } from '@touchstone/sdk'
import { command } from '../command.ts'
import { FILTERS, queryOf } from '../decisions/decision-filter.ts'
import { type Decision, decisionTable, describeDecision } from '../decisions/decision-text.ts'
import { jsonText } from '../json-text.ts'
import { numberFlag } from '../number-flag.ts'
import { connect } from '../service.ts'

const LIMIT = 50
const PAGE_MAX = 200

export const decisionsList = command({
  path: ['decisions', 'list'],
  summary: 'list decisions about tool calls, newest first',
  flags: {
    ...FILTERS,
    limit: { type: 'string', value: 'N', summary: `at most N decisions; default: ${LIMIT}` },
  },
  args: {},
  async run({ flags, io }) {
    const limit = numberFlag('limit', flags.limit, { min: 1, max: 1e6 }) ?? LIMIT
    const query = { ...queryOf(flags, io.env.agent), limit: Math.min(limit, PAGE_MAX) }
    const { client } = await connect(io)
    const shown: Decision[] = []
    for await (const decision of cursorItems(client, '/v1/decisions', { query })) {
      if (shown.push(decision) >= limit) break
      io.progress(`${shown.length} decisions`)
    }
    io.result({ decisions: shown }, () =>
      shown.length === 0 ? 'No decisions found.' : decisionTable(shown, io.paint),
    )
    return 0
  },
})

export const decisionsShow = command({
  path: ['decisions', 'show'],
  summary: 'show one decision, or its signed receipt',
  details: 'Verify a saved receipt, offline, with "touchstone verify receipt FILE".',
  flags: { receipt: { type: 'boolean', summary: 'print only the receipt, as JSON' } },
  args: { decision: { summary: 'the decision id' } },
  async run({ args, flags, io }) {
    const { client } = await connect(io)
    const decision = await client.request('GET', '/v1/decisions/{decision_id}', {
      params: { decision_id: args.decision },
    })
    if (flags.receipt) io.write(`${jsonText(decision.receipt, 2)}\n`)
    else io.result(decision, () => describeDecision(decision, io.paint))
    return 0
  },
})
