import { fileURLToPath } from 'node:url'

/**
 * The environment of programs that a test starts. Node keeps the compiled code there, which saves each
 * start of the service half a second; Node 20 ignores it.
 */
export const COMPILE_CACHE = {
  NODE_COMPILE_CACHE: fileURLToPath(
    new URL('../../node_modules/.cache/touchstone-compiled', import.meta.url),
  ),
}
