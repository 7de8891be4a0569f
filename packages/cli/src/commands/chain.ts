import { command } from '../command.ts'
import { runServer } from '../load-server.ts'

export const chainDeploy = command({
  path: ['chain', 'deploy'],
  summary: 'deploy the contracts to the chain at CHAIN_RPC_URL',
  flags: {
    owner: {
      type: 'string',
      value: '0x…',
      summary: 'account that can authorise publishers; default: the account of RELAYER_KEY',
    },
    'identity-registry': {
      type: 'string',
      value: '0x…',
      summary: "the chain's ERC-8004 identity registry",
    },
  },
  args: {},
  passThrough: true,
  async run({ rest }) {
    await runServer(['chain', 'deploy', ...rest])
    return 0
  },
})
