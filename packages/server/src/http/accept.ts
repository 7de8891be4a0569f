const YAML = /^(application|text)\/(x-)?yaml$/
const JSON_OR_ANY = /^(application\/(json|\*)|\*\/\*)$/

/** Whether an Accept header asks for YAML, and for JSON no more than for it; JSON is the rule. */
export function wantsYaml(accept = ''): boolean {
  const ranges = accept.toLowerCase().split(',').map(readRange)
  const yaml = highest(ranges, YAML)
  return yaml > 0 && yaml >= highest(ranges, JSON_OR_ANY)
}

type Range = { type: string; weight: number }

function readRange(range: string): Range {
  const [type = '', ...parameters] = range.split(';').map((part) => part.trim())
  const weight = parameters.find((parameter) => /^q\s*=/.test(parameter))
  return { type, weight: weight === undefined ? 1 : Number(weight.replace(/^q\s*=/, '')) || 0 }
}

function highest(ranges: readonly Range[], type: RegExp): number {
  return ranges.reduce((most, one) => (type.test(one.type) ? Math.max(most, one.weight) : most), 0)
}
