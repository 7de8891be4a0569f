import { command } from '../command.ts'
import { runServer } from '../load-server.ts'

export const chainDeploy = command({
  path: ['chain', 'deploy'],
  summary: 'put the contracts on the chain of CHAIN_RPC_URL',
  flags: {
    owner: {
      type: 'string',
      value: '0x…',
      summary: 'who names publishers from then on; else the account of RELAYER_KEY',
    },
    'identity-registry': {
      type: 'string',
      value: '0x…',
      summary: "the chain's ERC-8004 identity registry",
    },
  },
  args: {},
  handsOver: true,
  async run({ rest }) {
    await runServer(['chain', 'deploy', ...rest])
    return 0
  },
})
