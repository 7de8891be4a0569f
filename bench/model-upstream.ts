import { startMockProvider } from '@touchstone/server/mock-provider'

/** The model provider of the benchmark, in a process of its own; the model's name picks the answer. */
const words = (count: number) => Array.from({ length: count }, (_, n) => `word ${1000 + n}   `)

/** The mock cuts texts every twelve characters, so this is one event a word. */
const ANSWERS = {
  'stream-200': { parts: [{ text: words(200).join('') }] },
  // A fast model: 50 events a second, for two seconds.
  paced: { parts: [{ text: words(100).join('') }], firstMs: 20, pauseMs: 20 },
  tool: {
    parts: [
      { text: words(20).join('') },
      { tool: 'bench_search', input: { order: 1182, city: 'Oslo', units: 'metric' } },
    ],
  },
  idle: { parts: [{ text: words(20).join('') }], failure: 'hang', failsAfter: 4 },
  short: { parts: [{ text: 'Done.' }] },
} as const

function isKnown(model: unknown): model is keyof typeof ANSWERS {
  return typeof model === 'string' && model in ANSWERS
}

await startMockProvider(
  ({ body }) => ANSWERS[isKnown(body['model']) ? body['model'] : 'short'],
  Number(process.env['PORT']),
)
process.on('SIGTERM', () => process.exit(0))
