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
/** Time for one engine in a round. Every round runs all engines, so that noise affects all alike. */
const SLICE_MS = 150
/** Our own limits: for the evaluation, and how many times faster than its peers it must be. */
const EVALUATION_US_MAX = 9
const PICOMATCH_FACTOR_MIN = 15
const ENGINE_FACTOR_MIN = 200
const LARGE_COST_MAX = 2
const COMPILE_MS_MAX = 5
const CACHE_MB_MAX = 256
/** How many policies of this size fit into the cache, by the service's estimate of their memory. */
const CACHED = Math.floor((CACHE_MB_MAX * 2 ** 20) / (10_000 + 220 * 700))

/** Microseconds of one evaluation of all ten tools. */
function measure(run: () => void): number {
  let times = 0
  const startedAt = performance.now()
  while (performance.now() - startedAt < SLICE_MS) {
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
      // The first round is a warm-up.
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
if (kept.length !== CACHED) throw new Error('some policies were not compiled')

const evaluationRow = { what: 'evaluate 10 tools, 220 globs', unit: 'µs', ours: evaluation }
const rows: Row[] = [
  { ...evaluationRow, peer: EVALUATION_US_MAX, peerName: 'our maximum' },
  ...peers.flatMap(({ name }, i): Row[] => {
    const peer = others[i] ?? 0
    const factor = name === 'picomatch loop' ? PICOMATCH_FACTOR_MIN : ENGINE_FACTOR_MIN
    return [
      { ...evaluationRow, peer, peerName: name },
      { ...evaluationRow, peer: peer / factor, peerName: `${name}, 1/${factor}` },
    ]
  }),
  {
    what: 'evaluate 10 tools, 10,020 globs',
    unit: 'µs',
    ours: atLarge,
    peer: evaluation * LARGE_COST_MAX,
    peerName: `${LARGE_COST_MAX} × 220 globs`,
  },
  {
    what: 'compile 220 globs',
    unit: 'ms',
    ours: compileMs,
    peer: COMPILE_MS_MAX,
    peerName: 'our maximum',
  },
  {
    what: `memory of ${CACHED} compiled policies`,
    unit: 'MiB',
    ours: cacheMb,
    peer: CACHE_MB_MAX,
    peerName: 'our maximum',
  },
]
report('policy', rows)
