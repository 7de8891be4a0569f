/** Bytes that one request may hold whatever others do, so that ordinary requests always pass. */
export const FREE_BYTES = 1024 * 1024

/** The memory of a process for bodies that are read whole, so that no organisation takes all of it. */
export type BodyRoom = { enter(owner: string): BodyPlace }

/** The part of the room that one request takes. */
export type BodyPlace = {
  /** The bytes of the body so far. False if there is no room for them. */
  hold(bytes: number): boolean
  leave(): void
}

export function createBodyRoom(max: { bytes: number; bytesOfOwner: number }): BodyRoom {
  const heldBy = new Map<string, number>()
  let held = 0

  function change(owner: string, by: number): void {
    held += by
    const own = (heldBy.get(owner) ?? 0) + by
    if (own === 0) heldBy.delete(owner)
    else heldBy.set(owner, own)
  }

  return {
    enter(owner) {
      let own = 0
      return {
        hold(bytes) {
          const more = Math.max(0, bytes - FREE_BYTES) - own
          const isTooMuch =
            held + more > max.bytes || (heldBy.get(owner) ?? 0) + more > max.bytesOfOwner
          if (more > 0 && isTooMuch) return false
          change(owner, more)
          own += more
          return true
        },
        leave() {
          change(owner, -own)
          own = 0
        },
      }
    },
  }
}
