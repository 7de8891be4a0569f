/** The arguments of each phase, by its name. Transactional phases begin with the transaction. */
export type PhaseTable = Readonly<Record<string, readonly unknown[]>>

type Handler<Args extends readonly unknown[]> = (...args: Args) => unknown

/** A feature's work in a phase. Without a constraint it runs in the order of registration. */
export type Hook<Args extends readonly unknown[]> =
  | Handler<Args>
  | {
      run: Handler<Args>
      /** Features whose hook of this phase runs later. */
      before?: readonly string[]
      /** Features whose hook of this phase runs earlier. */
      after?: readonly string[]
      /** After every hook that is not marked so. */
      last?: true
    }

/** Deletes rows that have outlived their retention; returns how many. */
export type Purge = { name: string; run(now: Date): Promise<number> }

/** A cron pattern in UTC. */
export type Schedule = { name: string; cron: string; run(firedAt: Date): Promise<void> }

/** A figure that is read when the metrics are scraped. */
export type Gauge = { name: string; help: string; read(): Promise<number> }

/** How and when the rows of a table end. A test compares it with the database. */
export type TableFate<Phase> = {
  /** The phases in which the owner deletes the rows of what ended, or how else they go. */
  erased: readonly Phase[] | string
  /** Where an organisation gets the rows out; every table is in the backup. */
  exported: string
  /** The retention rule. */
  purged: string
}

/** All that a feature takes part in. */
export type Part<Phases extends PhaseTable, Surface> = {
  /** The feature's folder, such as `platform/orgs`; constraints of others name it. */
  name: string
  hooks?: { readonly [Phase in keyof Phases]?: Hook<Phases[Phase]> }
  routes?: (surface: Surface) => void
  purges?: readonly Purge[]
  schedules?: readonly Schedule[]
  gauges?: readonly Gauge[]
  tables?: Readonly<Record<string, TableFate<keyof Phases>>>
}

export type Lifecycle<Phases extends PhaseTable, Surface> = {
  /** One call per feature, before `seal`. */
  add(part: Part<Phases, Surface>): void
  /** Orders the hooks of every phase. Throws when a constraint cannot be met. */
  seal(): void
  parts(): readonly Part<Phases, Surface>[]
  /** One hook after the other. The first failure ends it, so that a transaction rolls back. */
  run<Phase extends keyof Phases>(phase: Phase, ...args: Phases[Phase]): Promise<void>
  /** Every hook, also after one has failed; throws at the end. */
  runAll<Phase extends keyof Phases>(phase: Phase, ...args: Phases[Phase]): Promise<void>
  mount(surface: Surface): void
  /** Every purge, also after one has failed; throws at the end, so that the job is retried. */
  purge(now: Date, onPurged: (name: string, rows: number) => void): Promise<void>
}

/** Where features register what they do when the process or something in it begins and ends. */
export function createLifecycle<Phases extends PhaseTable, Surface>(): Lifecycle<Phases, Surface> {
  const parts = new Map<string, Part<Phases, Surface>>()
  let ordered: ReadonlyMap<keyof Phases, readonly Placed[]> | undefined

  const hooksOf = (phase: keyof Phases): readonly Placed[] => {
    if (ordered === undefined) throw new Error('the lifecycle runs only once it is sealed')
    return ordered.get(phase) ?? []
  }

  return {
    add(part) {
      if (ordered !== undefined) throw new Error(`${part.name} is registered after the seal`)
      if (parts.has(part.name)) throw new Error(`${part.name} is registered twice`)
      parts.set(part.name, part)
    },

    seal() {
      const phases = new Map<keyof Phases, Placed[]>()
      for (const { name, hooks = {} } of parts.values()) {
        for (const [phase, hook] of Object.entries<Hook<never> | undefined>(hooks)) {
          if (hook === undefined) continue
          phases.set(phase, [...(phases.get(phase) ?? []), placed(name, hook)])
        }
      }
      ordered = new Map([...phases].map(([phase, hooks]) => [phase, inOrder(phase, hooks)]))
    },

    parts: () => [...parts.values()],

    async run(phase, ...args) {
      for (const { run } of hooksOf(phase)) await run(...args)
    },

    async runAll(phase, ...args) {
      const hooks = hooksOf(phase).map(
        ({ run }) =>
          async () =>
            void (await run(...args)),
      )
      await eachOf(hooks, `phase ${String(phase)}`)
    },

    mount(surface) {
      for (const { routes } of parts.values()) routes?.(surface)
    },

    async purge(now, onPurged) {
      const purges = [...parts.values()].flatMap((part) => part.purges ?? [])
      const tasks = purges.map(
        ({ name, run }) =>
          async () =>
            onPurged(name, await run(now)),
      )
      await eachOf(tasks, 'purge')
    },
  }
}

/** A hook as it is stored: its arguments are checked where it is registered and where it is run. */
type Placed = {
  feature: string
  run: (...args: readonly unknown[]) => unknown
  before: readonly string[]
  after: readonly string[]
  last: boolean
}

function placed(feature: string, hook: Hook<never>): Placed {
  const {
    run,
    before = [],
    after = [],
    last = false,
  } = typeof hook === 'function' ? { run: hook } : hook
  // The phase's name ties the arguments of `add` to those of `run`; a map cannot say so.
  return { feature, run: run as Placed['run'], before, after, last }
}

/** Takes the first that waits for nobody, again and again, so registration decides all the rest. */
function inOrder(phase: PropertyKey, hooks: readonly Placed[]): readonly Placed[] {
  const features = new Set(hooks.map(({ feature }) => feature))
  for (const { feature, before, after } of hooks) {
    const unknown = [...before, ...after].find((other) => !features.has(other))
    if (unknown === undefined) continue
    throw new Error(`${String(phase)}: ${feature} names ${unknown}, which has no hook there`)
  }
  const left = [...hooks]
  const done: Placed[] = []
  while (left.length > 0) {
    const next = left.findIndex((hook) => !left.some((other) => runsBefore(other, hook)))
    const [taken] = left.splice(next, next < 0 ? 0 : 1)
    if (taken === undefined) {
      const names = left.map(({ feature }) => feature).join(', ')
      throw new Error(`${String(phase)}: the constraints of ${names} form a cycle`)
    }
    done.push(taken)
  }
  return done
}

function runsBefore(one: Placed, other: Placed): boolean {
  if (one.before.includes(other.feature) || other.after.includes(one.feature)) return true
  return other.last && !one.last
}

async function eachOf(tasks: readonly (() => Promise<void>)[], what: string): Promise<void> {
  const failures: unknown[] = []
  for (const task of tasks) {
    await task().catch((err: unknown) => failures.push(err))
  }
  if (failures.length === 0) return
  throw new AggregateError(failures, `${what}: ${failures.length} of ${tasks.length} failed`)
}
