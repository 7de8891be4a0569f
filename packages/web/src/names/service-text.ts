const COUNTED = /(\d+) (\w+(?: \w+)?)\(s\)/g
const CODE = /\b[a-z]+(?:_[a-z]+)+\b/g

/** Counts of a text of the service with the right plural: "1 concern(s)" becomes "1 concern". */
export function withPlurals(text: string): string {
  return text.replace(COUNTED, (_, count: string, noun: string) =>
    count === '1' ? `1 ${noun}` : `${count} ${noun}s`,
  )
}

/** The summary of a checkpoint. Those of rules name categories by their codes, those of a model are its own words. */
export function summaryText(summary: string): string {
  if (!summary.startsWith('Rule-based analysis:')) return summary
  return withPlurals(summary).replace(CODE, (code) => code.replaceAll('_', ' '))
}
