import { checkedValues, createRuleAnalyser } from '@touchstone/protocol/analysis'
import { SYSTEM_BASE_VALUES } from '@touchstone/protocol/cards'
import { median, report } from './report.ts'

const ROUNDS = 9
const TEXTS = 200
const REPEATS = 1000
const CHARACTERS = 2048
/** Our own limit. */
const ANALYSIS_US_MAX = 200

const WORDS =
  'the customer wrote about a delayed parcel and wants to know where it is while three of them are in transit i need to look and should answer with a link because the carrier gives a window between nine and eleven for most addresses and my plan is to tell the user what we will do next with new data from the depot'.split(
    ' ',
  )

/** Generates the same texts in every run: a linear congruential generator picks the words. */
function makeTexts(): string[] {
  let state = 12_345
  const below = (limit: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * limit)
  }
  return Array.from({ length: TEXTS }, () => {
    let text = ''
    while (text.length < CHARACTERS) {
      const length = 8 + below(10)
      text += `${Array.from({ length }, () => WORDS[below(WORDS.length)]).join(' ')}. `
    }
    return text.slice(0, CHARACTERS)
  })
}

const conscienceValues = checkedValues(SYSTEM_BASE_VALUES)
const card = {
  values: { conflicts_with: ['hidden_fees'] },
  autonomy_envelope: {
    bounded_actions: ['search', 'recommend'],
    forbidden_actions: ['exfiltrate_data', 'share_credentials'],
  },
}

const analyser = createRuleAnalyser({ card, conscienceValues })
const analyse = (thinking: string) =>
  analyser({ thinking, output: '', actions: ['search'], context: {} })
/** The least work that any analyser has to do. */
const tokenise = (text: string) => text.toLowerCase().match(/[\p{L}\p{N}']+/gu)

const texts = makeTexts()
function microseconds(work: (text: string) => unknown): number {
  const started = performance.now()
  for (let i = 0; i < REPEATS; i += 1) work(texts[i % TEXTS] ?? '')
  return ((performance.now() - started) * 1000) / REPEATS
}

const figures = { ours: [0], bare: [0] }
for (let round = 0; round <= ROUNDS; round += 1) {
  const [bare, ours] = [microseconds(tokenise), microseconds(analyse)]
  // The first round only warms up both.
  if (round === 0) {
    figures.ours = []
    figures.bare = []
    continue
  }
  figures.ours.push(ours)
  figures.bare.push(bare)
}

const ours = median(figures.ours)
const what = 'rule analysis of 2 KB'
report('analyse', [
  { what, unit: 'µs', ours, peer: median(figures.bare), peerName: 'tokenising alone' },
  { what, unit: 'µs', ours, peer: ANALYSIS_US_MAX, peerName: 'our maximum' },
])
