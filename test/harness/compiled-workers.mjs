// Runs compiled code in the worker threads that tests start on Node 20, which does not load TypeScript.
// Compiling there instead crashes the process when a thread is terminated while it compiles. Passed to
// every test process with --import.
import { register } from 'node:module'
import { isMainThread } from 'node:worker_threads'

if (!isMainThread) register('./compiled-workers-hooks.mjs', import.meta.url)
