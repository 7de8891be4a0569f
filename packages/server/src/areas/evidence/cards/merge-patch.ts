import { isJsonObject } from '@touchstone/protocol/base'

/**
 * JSON Merge Patch (RFC 7396): null removes, an object merges, anything else replaces. Works
 * through a list instead of calling itself, so depth costs no stack; and only ever defines own
 * members, so a patch that speaks of `__proto__` changes a member of that name and nothing else.
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

/** The target is never changed: a level is copied before anything is written into it. */
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
