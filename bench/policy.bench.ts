import { deepStrictEqual } from 'node:assert/strict'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { compilePolicy } from '@touchstone/protocol/policy'
import {
  agentPolicyEngine,
  casbin,
  cedarWasm,
  type Engine,
  ours,
  picomatchLoop,
} from './policy-engines.ts'
import { policyFixture } from './policy-fixture.ts'
import { median, type Row, report } from './report.ts'

const ROUNDS = 9
/** What one turn of an engine may take: all engines in every round, so noise falls on all alike. */
const TURN_MS = 150
/** What we hold ourselves to. */
const EVALUATION_US_MAX = 9
const PICOMATCH_LEAST = 15
const ENGINES_LEAST = 200
const LARGE_COST_MAX = 2
const COMPILE_MS_MAX = 5
const CACHE_MB_MAX = 256
/** As many policies of this size as the service keeps at most: what it reckons for one pattern and beside them. */
const CACHED = Math.floor((CACHE_MB_MAX * 2 ** 20) / (10_000 + 220 * 700))

/** Microseconds of one evaluation of all ten tools. */
function measure(run: () => void): number {
  let times = 0
  const startedAt = performance.now()
  while (performance.now() - startedAt < TURN_MS) {
    for (let i = 0; i < 10; i += 1) run()
    times += 10
  }
  return ((performance.now() - startedAt) * 1000) / times
}

async function measureAll(engines: readonly Engine[]): Promise<number[]> {
  const figures = engines.map((): number[] => [])
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const [i, engine] of engines.entries()) {
      const took = measure(engine.run)
      // The first round only warms up.
      if (round > 0) figures[i]?.push(took)
    }
    process.stdout.write('.')
  }
  return figures.map(median)
}

const fixture = policyFixture()
const peers = [
  picomatchLoop(fixture),
  agentPolicyEngine(fixture),
  cedarWasm(fixture),
  await casbin(fixture),
]
const own = ours(fixture)
for (const { outcomes } of [own, ...peers]) deepStrictEqual(outcomes(), fixture.expected)

const large = policyFixture(2500)
const largest = ours(large)
deepStrictEqual(largest.outcomes(), large.expected)
const [evaluation = 0, atLarge = 0, ...others] = await measureAll([own, largest, ...peers])

const compileMs = median(
  Array.from({ length: 50 }, () => {
    const startedAt = performance.now()
    compilePolicy(policyFixture())
    return performance.now() - startedAt
  }),
)

setFlagsFromString('--expose-gc')
const collect: () => void = runInNewContext('gc')
collect()
const before = process.memoryUsage().heapUsed
const kept = Array.from({ length: CACHED }, () => compilePolicy(policyFixture()))
collect()
const cacheMb = (process.memoryUsage().heapUsed - before) / 2 ** 20
if (kept.length !== CACHED) throw new Error('some policies were not kept')

const evaluationRow = { what: '10 tools, 220 globs', unit: 'µs', ours: evaluation }
const rows: Row[] = [
  { ...evaluationRow, peer: EVALUATION_US_MAX, peerName: 'our most' },
  ...peers.flatMap(({ name }, i): Row[] => {
    const peer = others[i] ?? 0
    const least = name === 'picomatch loop' ? PICOMATCH_LEAST : ENGINES_LEAST
    return [
      { ...evaluationRow, peer, peerName: name },
      { ...evaluationRow, peer: peer / least, peerName: `${name}, a ${least}th of it` },
    ]
  }),
  {
    what: '10 tools, 10,020 globs',
    unit: 'µs',
    ours: atLarge,
    peer: evaluation * LARGE_COST_MAX,
    peerName: '220 globs, twice',
  },
  {
    what: 'compile 220 globs',
    unit: 'ms',
    ours: compileMs,
    peer: COMPILE_MS_MAX,
    peerName: 'our most',
  },
  {
    what: `${CACHED} compiled policies`,
    unit: 'MiB',
    ours: cacheMb,
    peer: CACHE_MB_MAX,
    peerName: 'our most',
  },
]
report('policy', rows)
