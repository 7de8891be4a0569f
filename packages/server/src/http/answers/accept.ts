const YAML = /^(application|text)\/(x-)?yaml$/
/** From the most to the least specific, which is the order of precedence. */
const JSON_RANGES = ['application/json', 'application/*', '*/*']

/** Whether an Accept header names YAML and prefers it to JSON or ranks both the same. */
export function wantsYaml(accept = ''): boolean {
  const ranges = accept.toLowerCase().split(',').map(readRange)
  const named = ranges.filter(({ type }) => YAML.test(type))
  const yaml = Math.max(0, ...named.map(({ weight }) => weight))
  const json = JSON_RANGES.map((type) => ranges.find((range) => range.type === type))
  return yaml > 0 && yaml >= (json.find((range) => range !== undefined)?.weight ?? 0)
}

/** Whether an Accept header names JSON itself, for endpoints whose default is text. */
export function wantsJson(accept = ''): boolean {
  const ranges = accept.toLowerCase().split(',').map(readRange)
  const json = ranges.find(({ type }) => type === 'application/json')?.weight ?? 0
  const text = ranges.find(({ type }) => type === 'text/plain')?.weight ?? 0
  return json > 0 && json >= text
}

type Range = { type: string; weight: number }

function readRange(range: string): Range {
  const [type = '', ...parameters] = range.split(';').map((part) => part.trim())
  const weight = parameters.find((parameter) => /^q\s*=/.test(parameter))
  return { type, weight: weight === undefined ? 1 : Number(weight.replace(/^q\s*=/, '')) || 0 }
}
