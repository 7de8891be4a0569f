/** The content of the page of a pack: sums, and every call that needed a person. */

export type Answer = { by: string; outcome: string; at: string }

export type Asked = {
  escalationId: string
  agentId: string
  tool: string
  at: string
  answers: readonly Answer[]
}

/** More calls than these are in the records only. */
const ASKED_MAX = 10_000

export type Figures = ReturnType<typeof createFigures>

export function createFigures() {
  const sums = new Map<string, number>()
  const days = new Map<string, Map<string, number>>()
  const asked = new Map<string, Asked & { answers: Answer[] }>()
  let notShown = 0
  const bump = (counts: Map<string, number>, name: string) =>
    counts.set(name, (counts.get(name) ?? 0) + 1)
  return {
    /** `detail` is the decision, status or verdict. */
    count(kind: string, at: string, detail?: string): void {
      bump(sums, detail === undefined ? kind : `${kind}: ${detail}`)
      const day = at.slice(0, 'YYYY-MM-DD'.length)
      const counts = days.get(day) ?? new Map<string, number>()
      days.set(day, counts)
      bump(counts, kind)
    },

    ask(one: Omit<Asked, 'answers'>): void {
      if (asked.has(one.escalationId)) return
      if (asked.size === ASKED_MAX) notShown += 1
      else asked.set(one.escalationId, { ...one, answers: [] })
    },

    answer(escalationId: string, answer: Answer): void {
      asked.get(escalationId)?.answers.push(answer)
    },

    sums: (): [string, number][] => [...sums].sort(([a], [b]) => (a < b ? -1 : 1)),
    countOf: (kind: string): number =>
      [...sums].reduce(
        (sum, [name, count]) => (name.split(':')[0] === kind ? sum + count : sum),
        0,
      ),
    days: (): [string, ReadonlyMap<string, number>][] =>
      [...days].sort(([a], [b]) => (a < b ? -1 : 1)),
    asked: (): Iterable<Asked> => asked.values(),
    notShown: (): number => notShown,
  }
}
