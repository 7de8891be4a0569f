import { readdir } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { ConnectedAgent } from '#harness/coding-agent.ts'
import { CLIENTS } from '../../packages/cli/src/connect/clients.ts'
import { sampleOf } from '../../packages/cli/src/connect/samples.ts'

const FOLDER = new URL('./node_modules/@cursor/sdk/dist/esm/', import.meta.url)
const RUNTIME = '../cursor-sdk-local-runtime/dist/core/hooks-runtime.js'

type Answer = { permission?: string; user_message?: string; agent_message?: string }

type Runtime = {
  hooksConfig: { errors: readonly { message: string }[] }
  createSessionRuntime(): {
    hookExecutor: { executeHookForStep(step: string, request: object): Promise<Answer | undefined> }
  }
}

type HooksModule = {
  /** Creates the factory of runtimes; the package shortens its name. */
  vk(options: object): {
    createHooksRuntime(of: { workspaceState: object }): Promise<Runtime>
  }
}

/**
 * The part of Cursor's own SDK that reads hooks.json, and runs and reads hooks: that of the agents that
 * it runs on this machine. The package does not export it, and its agents need an account, so its module
 * is taken out of the bundle.
 */
export async function cursorAgent(home: string): Promise<ConnectedAgent & CursorRuntime> {
  const { vk: createFactory } = (await bundled())(RUNTIME) as HooksModule
  const project = join(home, 'project')
  const workspaceState = { workspaceRoots: [project], projectRoot: project }
  const load = () =>
    withHome(home, () =>
      createFactory({ useCommandHookStdinTransport: true }).createHooksRuntime({ workspaceState }),
    )
  const fire = async (step: string, request: object) => {
    const { hookExecutor } = (await load()).createSessionRuntime()
    return withHome(home, () => hookExecutor.executeHookForStep(step, request))
  }
  return {
    file: CLIENTS.cursor.userFile({ home, env: {} }),
    async make(call) {
      const { before, after } = sampleOf('cursor', call)
      const answer = await fire('preToolUse', before)
      if (answer?.permission === 'deny') {
        return { ran: false, said: `${answer.user_message}${answer.agent_message}` }
      }
      await fire('postToolUse', after)
      return { ran: true, said: '' }
    },
    async errors() {
      return (await load()).hooksConfig.errors.map(({ message }) => message)
    },
  }
}

type CursorRuntime = {
  /** Why it does not read its configuration. */
  errors(): Promise<string[]>
}

/** Cursor looks for its configuration in the home folder, which its hooks inherit. */
async function withHome<T>(home: string, work: () => Promise<T>): Promise<T> {
  const saved = process.env['HOME']
  process.env['HOME'] = home
  try {
    return await work()
  } finally {
    process.env['HOME'] = saved
  }
}

type Require = (id: string) => unknown
type BundledModule = (module: { exports: object }, exports: object, require: Require) => void

/** Loads modules of the bundle as its own loader does. */
async function bundled(): Promise<Require> {
  const chunks = (await readdir(FOLDER)).filter((name) => /^\d+\.js$/.test(name))
  const loaded = await Promise.all(chunks.map((name) => import(new URL(name, FOLDER).href)))
  const modules: Record<string, BundledModule> = Object.assign(
    {},
    ...loaded.map(({ __webpack_esm_modules__: own }) => own),
  )
  const fromNode = createRequire(FOLDER)
  const cache = new Map<string, { exports: object }>()
  const load = (id: string): unknown => {
    const known = cache.get(id)
    if (known !== undefined) return known.exports
    const module = { exports: {} }
    cache.set(id, module)
    const own = modules[id]
    if (own === undefined) module.exports = external(fromNode, id)
    else own(module, module.exports, require)
    return module.exports
  }
  const define = (exports: object, getters: Record<string, () => unknown>) => {
    for (const [name, get] of Object.entries(getters)) {
      Object.defineProperty(exports, name, { enumerable: true, get })
    }
  }
  const require: Require = Object.assign(load, {
    d: define,
    r: () => undefined,
    n(exports: { default?: unknown }) {
      const get = () => exports.default ?? exports
      define(get, { a: get })
      return get
    },
  })
  return require
}

/** A module of Node or a package; a part of another bundle, which hooks do not use, is a stand-in. */
function external(fromNode: NodeJS.Require, id: string): object {
  const [name = ''] = id.split('?')
  try {
    const exports = fromNode(name)
    return { ...exports, default: exports }
  } catch {
    return standIn
  }
}

const standIn: object = new Proxy(() => undefined, {
  get(target, name) {
    if (name === 'prototype') return Reflect.get(target, name)
    if (name === Symbol.toPrimitive) return () => ''
    return name === 'then' ? undefined : standIn
  },
  apply: () => standIn,
  construct: () => standIn,
})
