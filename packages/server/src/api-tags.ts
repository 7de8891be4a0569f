/** The sections of the OpenAPI document, in the order a newcomer needs them. */
export const API_TAGS = [
  { name: 'agents', description: 'Register agents, claim them and set their enforcement mode.' },
  {
    name: 'alignment cards',
    description: 'Read and change the card that states the values and bounds of an agent.',
  },
  {
    name: 'card templates',
    description: 'Apply a card template to all agents of an organisation.',
  },
  {
    name: 'conscience values',
    description: 'Manage the values that an organisation adds to the cards of its agents.',
  },
  { name: 'policies', description: 'Write, validate, resolve and evaluate tool policies.' },
  {
    name: 'gateway',
    description: 'Decide tool calls before they run, and resolve the approvals they need.',
  },
  {
    name: 'connections',
    description: 'Connect agents to their model providers through the model gateway.',
  },
  {
    name: 'transactions',
    description: 'Limit an agent to a list of tools for the duration of one task.',
  },
  { name: 'containment', description: 'Pause, resume, kill and reactivate agents.' },
  { name: 'traces', description: 'Send traces of actions and verify them against the card.' },
  { name: 'checkpoints', description: 'Send decisions for analysis and read the results.' },
  { name: 'drift', description: 'Read and acknowledge alerts about behaviour that drifts.' },
  {
    name: 'reclassification',
    description: 'Review violations, comment on them, reclassify them and export the record.',
  },
  {
    name: 'attestation',
    description: 'Get certificates, Merkle proofs and keys, and verify them independently.',
  },
  {
    name: 'log',
    description: 'Read the witnessed log and prove that a record is in it.',
  },
  { name: 'reputation', description: 'Read, compare, simulate and verify the scores of agents.' },
  { name: 'trust edges', description: 'Declare which agents an agent trusts.' },
  { name: 'risk', description: 'Assess the risk of an action and prove the assessment.' },
  { name: 'teams', description: 'Manage teams of agents, their members and their cards.' },
  { name: 'team reputation', description: 'Read and verify the scores of teams.' },
  { name: 'coherence', description: 'Measure how compatible the values of agents are.' },
  {
    name: 'intelligence',
    description: 'Find fault lines in a team, forecast failures and recommend policies.',
  },
  { name: 'on-chain', description: 'Anchor Merkle roots and publish scores on a blockchain.' },
  { name: 'webhooks', description: 'Receive events at your own endpoints.' },
  { name: 'stream', description: 'Follow live activity over server-sent events.' },
  { name: 'sign-in', description: 'Sign up, sign in and manage your account.' },
  {
    name: 'single sign-on',
    description: 'Configure single sign-on with OpenID Connect or SAML 2.0, and sign in with it.',
  },
  { name: 'API keys', description: 'Create, rotate and revoke API keys.' },
  {
    name: 'organisations',
    description: 'Manage organisations, members, invitations and the audit log.',
  },
  { name: 'plans', description: 'Read plans, quotas and usage.' },
  { name: 'administration', description: 'Operate the platform, as a platform administrator.' },
  { name: 'service', description: 'Check the health of the service.' },
] as const
