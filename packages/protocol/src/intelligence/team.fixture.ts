import { CARD_A, CARD_B, CARD_C, cardOf } from '../risk/cards.fixture.ts'

/** The team of three, with the agent ids of the fault line vectors. */
export const THREE = [
  { ...CARD_A, agent_id: 'agent-a' },
  { ...CARD_B, agent_id: 'agent-b' },
  { ...CARD_C, agent_id: 'agent-c' },
]

/** The team of two. */
export const TWO = [
  cardOf('x', { declared: 'care speed', bounded: 'run' }),
  cardOf('y', { declared: 'care', bounded: 'run' }),
]
