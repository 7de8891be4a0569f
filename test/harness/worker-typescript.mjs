// Runs TypeScript sources in the worker threads that tests start: Node 20 does not load TypeScript,
// and Vitest's loader does not reach into threads. Passed to every test process with --import.
import { register } from 'node:module'
import { isMainThread } from 'node:worker_threads'

if (!isMainThread) register('./worker-typescript-hooks.mjs', import.meta.url)
