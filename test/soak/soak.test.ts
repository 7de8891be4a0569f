import { readFile, writeFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { eventually } from '#harness/eventually.ts'
import { type Audited, audit, noFindings } from './audit.fixture.ts'
import { cause, FAULT_NAMES, type Outcome } from './faults.fixture.ts'
import { type Load, startLoad } from './load.fixture.ts'
import { createWorld, fail, type World } from './world.fixture.ts'

/** As `npm run soak` sets them; in the full suite every fault is caused once. */
const settings = {
  minutes: Number(process.env['SOAK_MINUTES'] ?? 0),
  nodes: Number(process.env['SOAK_NODES'] ?? 3),
  perSecond: Number(process.env['SOAK_RATE'] ?? 30),
  faults: process.env['SOAK_FAULTS']?.split(',') ?? FAULT_NAMES,
  report: process.env['SOAK_REPORT'],
}

const NOTICE_MS_MAX = 5000
const DELAY_MS_MAX = 6000
const GROWTH_MAX = 1.1
/** In a shorter run the memory of a node is that of its start. */
const MINUTES_OF_MEMORY = 20
const SAMPLE_MS = 1000
/** For the start and for verifying everything. */
const EXTRA_MS = 1_800_000

const startedMs = performance.now()

/** In the full suite nobody watches. */
function tell(text: string): void {
  if (settings.minutes === 0) return
  const seconds = Math.round((performance.now() - startedMs) / 1000)
  const time = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
  process.stdout.write(`${time.padStart(6)}  ${text}\n`)
}

const inSeconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`

function describeOutcome({ fault, node, noticedMs, othersMs, recoveredMs }: Outcome): string {
  const noticed = noticedMs === null ? '' : `, not writable after ${inSeconds(noticedMs)}`
  const others = othersMs === null ? '' : `, others up to ${inSeconds(othersMs)}`
  return `${fault} (${node})${noticed}${others}, recovered in ${inSeconds(recoveredMs)}`
}

/** The resident memory of the first node, which is never killed, sampled all the time. */
function watchMemory({ nodes: [node] }: World) {
  const samples: number[] = []
  const sample = async () => {
    const status = await readFile(`/proc/${node?.service.child.pid}/status`, 'utf8')
    samples.push(Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024)
  }
  const timer = setInterval(() => void sample().catch(() => undefined), SAMPLE_MS)
  return () => {
    clearInterval(timer)
    const fifth = Math.ceil(samples.length / 5)
    const median = (some: readonly number[]) =>
      some.toSorted((a, b) => a - b)[Math.floor(some.length / 2)] ?? 0
    const [first, last] = [median(samples.slice(0, fifth)), median(samples.slice(-fifth))]
    return { first_mb: Math.round(first), last_mb: Math.round(last), growth: last / first }
  }
}

/** Causes the faults in turn, each time on the next node, until the time is over. */
async function causeFaults(world: World, load: Load): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  const endMs = performance.now() + settings.minutes * 60_000
  // The first node is spared by kills, so that its memory can be watched over the whole time.
  const others = world.nodes.slice(1)
  for (let round = 0; round === 0 || performance.now() < endMs; round += 1) {
    for (const [at, name] of settings.faults.entries()) {
      const nodes = name === 'kill' ? others : world.nodes
      const node = nodes[(round + at) % nodes.length] ?? fail('at least two nodes are needed')
      outcomes.push(await cause(name, node, { world, load }))
      tell(outcomes.map(describeOutcome).at(-1) ?? '')
    }
  }
  return outcomes
}

const deliveredTo = ({ receiver }: World): Set<string> =>
  new Set(receiver.received.map(({ body }) => idIn(JSON.parse(body))))

function idIn(event: { data: { checkpoint_id: string } }): string {
  return event.data.checkpoint_id
}

/** Waits until the log has every record and every webhook has arrived. */
async function settle(world: World, load: Load): Promise<void> {
  const [{ service } = fail('there is no node')] = world.nodes
  await eventually(async () => {
    const { body } = await service.call('GET', '/health/ready')
    expect(body.checks.log).toMatchObject({ fault: null, pending: 0 })
  })
  const ids = load.writes.filter(({ kind }) => kind === 'checkpoint').map(({ id }) => id)
  await eventually(() => {
    const delivered = deliveredTo(world)
    expect(ids.filter((id) => !delivered.has(id))).toEqual([])
  })
}

function reportOf({
  outcomes,
  load,
  audited,
  memory,
}: {
  outcomes: readonly Outcome[]
  load: Load
  audited: Audited
  memory: object
}) {
  const worst = (of: readonly (number | null)[]) => {
    const given = of.filter((ms) => ms !== null)
    return given.length === 0 ? null : Math.round(Math.max(...given))
  }
  const faults = Object.fromEntries(
    settings.faults.map((name) => {
      const own = outcomes.filter(({ fault }) => fault === name)
      const figures = {
        times: own.length,
        not_writable_ms_max: worst(own.map(({ noticedMs }) => noticedMs)),
        others_delayed_ms_max: worst(own.map(({ othersMs }) => othersMs)),
        recovered_ms_max: worst(own.map(({ recoveredMs }) => recoveredMs)),
      }
      return [name, figures]
    }),
  )
  const count = (kind: string) => load.writes.filter((write) => write.kind === kind).length
  return {
    minutes: Math.round((performance.now() - startedMs) / 6000) / 10,
    nodes: settings.nodes,
    writes_per_second: settings.perSecond,
    acknowledged: { checkpoints: count('checkpoint'), decisions: count('decision') },
    stored: { checkpoints: audited.checkpoints, decisions: audited.decisions },
    answered_unrecorded: load.unrecorded(),
    refused: Object.fromEntries(load.refused),
    faults,
    memory,
    findings: audited.findings,
  }
}

describe('nodes on one database under faults', () => {
  it(
    'lose no acknowledged write, say when they cannot write, and do not wait for each other',
    async () => {
      const world = await createWorld(settings.nodes)
      const load = startLoad(world, settings.perSecond)
      const endWatch = watchMemory(world)
      tell(`${settings.nodes} nodes, ${settings.perSecond} writes a second`)
      await sleep(SAMPLE_MS)
      const outcomes = await causeFaults(world, load)
      await load.stop()
      const memory = endWatch()
      tell(`verifying ${load.writes.length} acknowledged writes`)
      await settle(world, load)
      const { agents } = world
      const given = { agents, writes: load.writes, delivered: deliveredTo(world) }
      const audited = await audit(await world.startAuditor(), given)
      const report = reportOf({ outcomes, load, audited, memory })
      if (settings.report !== undefined) {
        await writeFile(settings.report, `${JSON.stringify(report, null, 2)}\n`)
        tell(`report: ${settings.report}`)
      }
      expect(audited.findings).toEqual(noFindings())
      for (const outcome of outcomes) {
        expect(outcome.noticedMs ?? 0, describeOutcome(outcome)).toBeLessThan(NOTICE_MS_MAX)
        if (outcome.fault === 'freeze')
          expect(outcome.othersMs ?? 0, describeOutcome(outcome)).toBeLessThan(DELAY_MS_MAX)
      }
      if (settings.minutes >= MINUTES_OF_MEMORY)
        expect(memory.growth).toBeLessThanOrEqual(GROWTH_MAX)
      for (const { service } of world.nodes) expect(await service.end()).toBe(0)
    },
    settings.minutes * 60_000 + EXTRA_MS,
  )
})
