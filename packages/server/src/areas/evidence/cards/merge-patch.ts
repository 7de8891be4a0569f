import { isJsonObject } from '@touchstone/protocol/base'

/**
 * JSON Merge Patch (RFC 7396): null removes, an object merges, anything else replaces.
 * Iterative, so that a deep patch cannot exhaust the stack. Defines own members only, so that a patch
 * with `__proto__` cannot pollute a prototype.
 */
export function mergePatch(target: unknown, patch: unknown): unknown {
  if (!isJsonObject(patch)) return patch
  const result = copyOf(target)
  const pending = [{ into: result, patch }]
  for (const step of pending) {
    for (const [key, change] of Object.entries(step.patch)) {
      if (change === null) {
        Reflect.deleteProperty(step.into, key)
      } else if (isJsonObject(change)) {
        const next = copyOf(Object.hasOwn(step.into, key) ? step.into[key] : undefined)
        define(step.into, key, next)
        pending.push({ into: next, patch: change })
      } else {
        define(step.into, key, change)
      }
    }
  }
  return result
}

type Members = Record<string, unknown>

/** Copies each level before writing to it, so that the target is never changed. */
function copyOf(value: unknown): Members {
  return isJsonObject(value) ? { ...value } : {}
}

function define(into: Members, key: string, value: unknown): void {
  Object.defineProperty(into, key, {
    value,
    enumerable: true,
    writable: true,
    configurable: true,
  })
}
