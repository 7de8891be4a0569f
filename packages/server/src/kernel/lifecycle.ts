/** The arguments of each phase, by its name. Transactional phases begin with the transaction. */
export type PhaseTable = Readonly<Record<string, readonly unknown[]>>

type Handler<Args extends readonly unknown[]> = (...args: Args) => unknown

/** A feature's hook of a phase. Hooks without a constraint run in the order of registration. */
export type Hook<Args extends readonly unknown[]> =
  | Handler<Args>
  | {
      run: Handler<Args>
      /** Features whose hook of this phase runs later. */
      before?: readonly string[]
      /** Features whose hook of this phase runs earlier. */
      after?: readonly string[]
      /** Runs after every hook without this mark. */
      last?: true
    }

/** Deletes rows past their retention and returns their number. */
export type Purge = { name: string; run(now: Date): Promise<number> }

/** A cron pattern in UTC. */
export type Schedule = { name: string; cron: string; run(firedAt: Date): Promise<void> }

/** A value that is read when the metrics are scraped. */
export type Gauge = { name: string; help: string; read(): Promise<number> }

/** How and when the rows of a table are deleted. A test compares it with the database. */
export type TableRetention<Phase> = {
  /** The phases in which the owner deletes rows, or another way in which they are deleted. */
  erased: readonly Phase[] | string
  /** How an organisation exports the rows; every table is in the backup. */
  exported: string
  /** The retention rule. */
  purged: string
}

/** Everything that a feature registers. */
export type Part<Phases extends PhaseTable, Surface> = {
  /** The feature's folder, such as `platform/orgs`; constraints of others name it. */
  name: string
  hooks?: { readonly [Phase in keyof Phases]?: Hook<Phases[Phase]> }
  routes?: (surface: Surface) => void
  purges?: readonly Purge[]
  schedules?: readonly Schedule[]
  gauges?: readonly Gauge[]
  tables?: Readonly<Record<string, TableRetention<keyof Phases>>>
}

export type Lifecycle<Phases extends PhaseTable, Surface> = {
  /** One call per feature, before `seal`. */
  add(part: Part<Phases, Surface>): void
  /** Orders the hooks of every phase. Throws if a constraint cannot be satisfied. */
  seal(): void
  parts(): readonly Part<Phases, Surface>[]
  /** Runs the hooks in order. Stops at the first failure, so that a transaction rolls back. */
  run<Phase extends keyof Phases>(phase: Phase, ...args: Phases[Phase]): Promise<void>
  /** Runs every hook, even after a failure, and throws at the end. */
  runAll<Phase extends keyof Phases>(phase: Phase, ...args: Phases[Phase]): Promise<void>
  mount(surface: Surface): void
  /** Runs every purge, even after a failure, and throws at the end, so that the job is retried. */
  purge(now: Date, onPurged: (name: string, rows: number) => void): Promise<void>
}

/** Features register here for phases of the process and of agents, organisations and teams. */
export function createLifecycle<Phases extends PhaseTable, Surface>(): Lifecycle<Phases, Surface> {
  const parts = new Map<string, Part<Phases, Surface>>()
  let ordered: ReadonlyMap<keyof Phases, readonly Placed[]> | undefined

  const hooksOf = (phase: keyof Phases): readonly Placed[] => {
    if (ordered === undefined) throw new Error('the lifecycle cannot run before it is sealed')
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

/** A stored hook. Its arguments are type-checked at registration and at the call. */
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
  // The cast is safe: the name of the phase ties the arguments of `add` to those of `run`, which the
  // type of a map cannot express.
  return { feature, run: run as Placed['run'], before, after, last }
}

/** A stable topological sort: repeatedly takes the first hook that has to wait for no other. */
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
