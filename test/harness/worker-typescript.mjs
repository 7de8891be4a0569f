// Threads that tests start run our sources as they are: Node 20 itself reads no TypeScript, and
// what makes Vitest read it does not reach into threads. Given to every test process by --import.
import { register } from 'node:module'
import { isMainThread } from 'node:worker_threads'

if (!isMainThread) register('./worker-typescript-hooks.mjs', import.meta.url)
