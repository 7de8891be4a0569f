type Member<Decision, Recorded> = {
  /** Resolves once the decisions of all members are stored; undefined if this one was not. */
  record(decision: Decision): Promise<Recorded | undefined>
  /** Called when the member will not record any more. */
  leave(): void
}

/**
 * Collects the decisions of `size` members and stores them together once each member has recorded one
 * or left. A member that records again, after its first decision, stores the next one alone.
 */
export function createRecordGroup<Decision, Recorded>(
  size: number,
  recordAll: (decisions: readonly Decision[]) => Promise<readonly (Recorded | undefined)[]>,
) {
  const collected: { member: number; decision: Decision }[] = []
  let settled = 0
  let start: () => void = () => undefined
  const complete = new Promise<void>((resolve) => {
    start = resolve
  })
  const stored = complete.then(() => {
    // In the order of the members, whichever was decided first.
    collected.sort((a, b) => a.member - b.member)
    return recordAll(collected.map(({ decision }) => decision))
  })

  const settleOne = (): void => {
    settled += 1
    if (settled === size) start()
  }

  return {
    member(number: number): Member<Decision, Recorded> {
      let isSettled = false
      return {
        async record(decision) {
          if (isSettled) return (await recordAll([decision]))[0]
          isSettled = true
          collected.push({ member: number, decision })
          settleOne()
          const all = await stored
          return all[collected.findIndex(({ member }) => member === number)]
        },

        leave() {
          if (isSettled) return
          isSettled = true
          settleOne()
        },
      }
    },
  }
}
