import { Worker } from 'node:worker_threads'

/** Functions by name that can run on a worker. Input and output are structured clones. */
export type Tasks = Readonly<Record<string, (input: never) => unknown>>

export type RunOptions = {
  /** The deadline for running, not counting time in the queue. */
  timeoutMs: number
  /** The deadline for waiting in the queue; by default that of the pool. */
  waitMs?: number
  /** Memory of the input that is moved to the thread instead of copied; the caller loses it. */
  moved?: readonly ArrayBuffer[]
}

export type WorkerPool<T extends Tasks> = {
  /** Rejects with a `WorkerError`, or with the error of the task itself. */
  run<Name extends keyof T & string>(
    name: Name,
    input: Parameters<T[Name]>[0],
    options: RunOptions,
  ): Promise<Awaited<ReturnType<T[Name]>>>
  /** Starts a thread now, so that the first task does not wait for it or slow down others. */
  start(): void
  /** Rejects all unfinished tasks. */
  close(): Promise<void>
}

/**
 * busy: the queue is full. late: not finished in time. out_of_memory: it needed more than a thread has.
 * crashed: its thread ended for another reason. closed: the pool is closed.
 */
export type WorkerFault = 'busy' | 'late' | 'out_of_memory' | 'crashed' | 'closed'

export class WorkerError extends Error {
  readonly kind: WorkerFault

  constructor(kind: WorkerFault, options: { cause?: unknown } = {}) {
    super(`a worker could not finish its task: ${kind}`, options)
    this.name = 'WorkerError'
    this.kind = kind
  }
}

/** Messages to and from a thread. */
export type TaskMessage = { name: string; input: unknown }
export type DoneMessage = { output: unknown } | { error: unknown }

type Task = TaskMessage & {
  resolve(output: unknown): void
  reject(err: unknown): void
  timeoutMs: number
  moved: readonly ArrayBuffer[]
  /** The timer for waiting, then for running. */
  timer: NodeJS.Timeout
}

type Thread = { worker: Worker; task: Task | undefined }

export type WorkerPoolOptions = {
  /** The module that every thread runs: see worker.ts. */
  entry: URL
  threadsMax: number
  waitingMax: number
  waitMsMax: number
  /** A thread that exceeds this is terminated and fails only its own task. */
  memoryMbMax: number
}

/**
 * Runs long computations off the event loop, on a few threads that start on first use. Each task
 * has a deadline from when it runs; a thread that misses it is terminated, because it cannot be
 * interrupted. Waiting in the queue has a separate limit.
 */
export function createWorkerPool<T extends Tasks>(options: WorkerPoolOptions): WorkerPool<T> {
  const waiting: Task[] = []
  const threads = new Set<Thread>()
  let isClosed = false

  const end = (thread: Thread, fault: WorkerError): void => {
    if (!threads.delete(thread)) return
    if (thread.task !== undefined) settle(thread.task).reject(fault)
    void thread.worker.terminate()
    next()
  }

  const addThread = (): Thread => {
    const thread = startThread(options, {
      free: () => next(),
      crashed: (cause) => end(thread, new WorkerError(faultOf(cause), { cause })),
    })
    threads.add(thread)
    return thread
  }

  const findFree = (): Thread | undefined => {
    for (const thread of threads) if (thread.task === undefined) return thread
    return threads.size < options.threadsMax ? addThread() : undefined
  }

  const next = (): void => {
    while (waiting.length > 0 && !isClosed) {
      let thread: Thread | undefined
      try {
        thread = findFree()
      } catch (cause) {
        // Without any thread the queue would never be served.
        if (threads.size > 0) return
        dismiss(new WorkerError('crashed', { cause }))
        continue
      }
      const task = thread && waiting.shift()
      if (thread === undefined || task === undefined) return
      run(thread, task)
    }
  }

  const dismiss = (fault: WorkerError): void => {
    const task = waiting.shift()
    if (task !== undefined) settle(task).reject(fault)
  }

  const run = (thread: Thread, task: Task): void => {
    settle(task).timer = setTimeout(() => end(thread, new WorkerError('late')), task.timeoutMs)
    hand(thread, task)
  }

  const giveUp = (task: Task): void => {
    const place = waiting.indexOf(task)
    if (place < 0) return
    waiting.splice(place, 1)
    task.reject(new WorkerError('busy'))
  }

  return {
    run: (name, input, { timeoutMs, waitMs = options.waitMsMax, moved = [] }) =>
      new Promise((resolve, reject) => {
        if (isClosed) return reject(new WorkerError('closed'))
        if (waiting.length >= options.waitingMax) return reject(new WorkerError('busy'))
        const timer = setTimeout(() => giveUp(task), waitMs)
        // The cast is safe: the type of `run` ties the result to the task, which a queue cannot express.
        const settlers = { resolve: resolve as Task['resolve'], reject }
        const task: Task = { name, input, ...settlers, timeoutMs, moved, timer }
        waiting.push(task)
        next()
      }),

    start() {
      if (threads.size === 0 && !isClosed) addThread()
    },

    async close() {
      isClosed = true
      const fault = new WorkerError('closed')
      for (const task of waiting.splice(0)) settle(task).reject(fault)
      const open = [...threads]
      for (const thread of open) end(thread, fault)
      await Promise.all(open.map(({ worker }) => worker.terminate()))
    },
  }
}

/** The memory of bytes that nothing else shares, such as a body that was sent: copying it takes long. */
export function wholeBuffers({ buffer, byteLength }: Uint8Array): ArrayBuffer[] {
  return buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : []
}

/** Throws if the system cannot start a thread. */
function startThread(
  { entry, memoryMbMax }: WorkerPoolOptions,
  heard: { free(): void; crashed(cause?: unknown): void },
): Thread {
  const worker = new Worker(entry, { resourceLimits: { maxOldGenerationSizeMb: memoryMbMax } })
  const thread: Thread = { worker, task: undefined }
  worker.unref()
  worker.on('message', (done: DoneMessage) => {
    const { task } = thread
    if (task === undefined) return
    thread.task = undefined
    worker.unref()
    if ('error' in done) settle(task).reject(done.error)
    else settle(task).resolve(done.output)
    heard.free()
  })
  worker.on('messageerror', heard.crashed)
  worker.on('error', heard.crashed)
  worker.on('exit', () => heard.crashed())
  return thread
}

function faultOf(cause: unknown): WorkerFault {
  const isMemory =
    cause instanceof Error && 'code' in cause && cause.code === 'ERR_WORKER_OUT_OF_MEMORY'
  return isMemory ? 'out_of_memory' : 'crashed'
}

function settle(task: Task): Task {
  clearTimeout(task.timer)
  return task
}

function hand(thread: Thread, task: Task): void {
  thread.task = task
  thread.worker.ref()
  try {
    const message: TaskMessage = { name: task.name, input: task.input }
    thread.worker.postMessage(message, task.moved)
  } catch (err) {
    // Input that cannot be cloned never reached the thread, which stays usable.
    thread.task = undefined
    thread.worker.unref()
    settle(task).reject(err)
  }
}
