import { usageError } from '../cli-error.ts'
import { command } from '../command.ts'
import { connect } from '../service.ts'
import { fields, printable } from '../table.ts'

const TYPES = ['card_gap', 'behavior_gap'] as const

export const reclassify = command({
  path: ['reclassify'],
  summary: 'reclassify a violation as a card gap or a behaviour gap',
  flags: {
    reason: { type: 'string', value: 'TEXT', summary: 'the reason; required' },
    type: { type: 'string', choices: TYPES, summary: 'default: chosen by the service' },
    amendment: {
      type: 'string',
      value: 'ID',
      summary: 'the card amendment that makes the call right; needs the scope approve',
    },
    recompute: { type: 'boolean', summary: 'recompute the score immediately' },
  },
  args: {
    agent: { summary: 'the agent id' },
    checkpoint: { summary: 'the id of the violating checkpoint' },
  },
  async run({ args, flags, io }) {
    if (flags.reason === undefined) throw usageError('--reason is required.')
    const { client } = await connect(io)
    const params = { agent_id: args.agent }
    const answer = await client.request('POST', '/v1/agents/{agent_id}/reclassify', {
      params,
      body: {
        checkpoint_id: args.checkpoint,
        reason: flags.reason,
        ...(flags.type !== undefined && { new_type: flags.type }),
        ...(flags.amendment !== undefined && { card_amendment_id: flags.amendment }),
      },
    })
    const score = flags.recompute
      ? await client.request('POST', '/v1/reputation/{agent_id}/recompute', { params })
      : undefined
    io.result({ ...answer, ...(score && { recompute: score }) }, () =>
      fields([
        ['checkpoint', answer.checkpoint_id],
        ['was', answer.original_type],
        ['is', answer.new_type],
        ['reason', printable(answer.reason)],
        ...(score === undefined
          ? []
          : ([
              ['score', `${score.score_before ?? 'none'} → ${score.score_after ?? 'none'}`],
            ] as const)),
      ]),
    )
    return 0
  },
})
