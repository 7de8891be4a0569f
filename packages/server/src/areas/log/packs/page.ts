import type { Control } from './controls.ts'
import type { Figures } from './figures.ts'
import type { Pack } from './pack.ts'

/** The page of a pack that a person reads. It needs no network and has no script. */

export type PageFacts = {
  pack: Pack
  origin: string
  range: { first: number; end: number; size: number }
  checkpointAt: Date
  figures: Figures
  /** Entries whose records were erased or deleted. */
  unopened: number
  controls: readonly Control[]
  emails: ReadonlyMap<string, string | null>
}

const STYLE = `body{font:15px/1.5 system-ui,sans-serif;max-width:64rem;margin:2rem auto;padding:0 1rem;color:#1a1a1a}
h1{font-size:1.6rem}h2{font-size:1.2rem;margin-top:2.5rem}
table{border-collapse:collapse;width:100%}th,td{text-align:left;vertical-align:top;padding:.35rem .6rem;border-bottom:1px solid #ddd}
td.n{text-align:right;font-variant-numeric:tabular-nums}code{font:13px ui-monospace,monospace;overflow-wrap:anywhere}
.gap{background:#fff4e0}`

export function* pageOf(facts: PageFacts): Generator<string> {
  const { pack, figures } = facts
  yield `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Evidence pack ${toHtml(pack.packId)}</title><style>${STYLE}</style>
<h1>Evidence pack</h1>
<p>Organisation <code>${toHtml(pack.orgId)}</code>, from ${time(pack.from)} until ${time(pack.to)}.
Made ${time(pack.createdAt)}.</p>
`
  yield proofSection(facts)
  yield section('Totals', ['Record', 'Number'], totals(figures))
  yield section('By day', ['Day', ...KINDS.map(([, title]) => title)], dayRows(figures))
  yield* askedSection(facts)
  yield* controlSection(facts)
  yield '</html>\n'
}

function proofSection({ origin, range, checkpointAt, unopened }: PageFacts): string {
  const gap =
    unopened === 0
      ? '<p>Every entry of the organisation in the period is opened.</p>'
      : `<p class="gap">${count(unopened, 'entry', 'entries')} of the organisation cannot be opened, because the records were erased or deleted after their retention. They are listed in <code>unopened.ndjson</code>.</p>`
  return `<h2>What this proves</h2>
<p>The log <code>${toHtml(origin)}</code> had ${range.size} entries at ${time(checkpointAt)}. The pack has
the entries ${range.first} to ${range.end} without a gap. Each entry of the organisation can be opened by its
record, so none can be left out or changed. Records that were not in the log at that time are not in the pack.</p>
${gap}
<p>To verify it, unpack it and run <code>node verify.mjs --policy FILE</code> with the trust policy of the log
that you got from somebody else than the organisation.</p>
`
}

const KINDS = [
  ['decision', 'Decisions'],
  ['outcome', 'Outcomes'],
  ['approval', 'Approvals'],
  ['checkpoint', 'Checkpoints'],
  ['policy', 'Policies'],
  ['containment', 'Containment'],
  ['reclassification', 'Reclassifications'],
  ['score', 'Scores'],
] as const

function totals(figures: Figures): string[][] {
  return figures.sums().map(([name, number]) => [toHtml(name), String(number)])
}

function dayRows(figures: Figures): string[][] {
  return figures
    .days()
    .map(([day, counts]) => [day, ...KINDS.map(([kind]) => String(counts.get(kind) ?? 0))])
}

function* askedSection({ figures, emails }: PageFacts): Generator<string> {
  yield `<h2>Calls that needed a person</h2>
<table><tr><th>Asked</th><th>Agent</th><th>Tool</th><th>Answered</th></tr>
`
  let shown = 0
  for (const { at, agentId, tool, answers } of figures.asked()) {
    shown += 1
    const said = answers.map(
      (one) =>
        `${toHtml(one.outcome)} by ${toHtml(emails.get(one.by) ?? one.by)}, ${toHtml(one.at)}`,
    )
    const gap = said.length === 0 ? ' class="gap"' : ''
    yield `<tr${gap}>${cells([toHtml(at), toHtml(agentId), toHtml(tool), said.join('<br>') || 'Nobody'])}</tr>\n`
  }
  yield '</table>\n'
  if (shown === 0) yield '<p>None.</p>\n'
  if (figures.notShown() > 0) {
    yield `<p class="gap">${figures.notShown()} more are in <code>records/decisions.ndjson</code>.</p>\n`
  }
}

function* controlSection({ controls, figures }: PageFacts): Generator<string> {
  yield `<h2>Controls</h2>
<table><tr><th>Control</th><th>What answers it</th><th>Records here</th><th>What nothing here answers</th></tr>
`
  for (const { framework, id, title, answer, records, gap } of controls) {
    const counts = records.map((kind) => `${kind}: ${figures.countOf(kind)}`).join('<br>')
    yield `<tr>${cells([
      `${toHtml(framework)} ${toHtml(id)}<br>${toHtml(title)}`,
      toHtml(answer) || 'Nothing',
      counts || 'None',
      toHtml(gap),
    ])}</tr>\n`
  }
  yield '</table>\n'
}

function section(title: string, head: readonly string[], rows: readonly string[][]): string {
  const header = head.map((name) => `<th>${name}</th>`).join('')
  const body = rows.map((row) => `<tr>${cells(row)}</tr>\n`).join('')
  return `<h2>${title}</h2>\n<table><tr>${header}</tr>\n${body}</table>\n`
}

/** Each is HTML. */
function cells(values: readonly string[]): string {
  return values
    .map((value) => `<td${/^\d+$/.test(value) ? ' class="n"' : ''}>${value}</td>`)
    .join('')
}

function time(at: Date): string {
  return at.toISOString()
}

function count(number: number, one: string, many: string): string {
  return `${number} ${number === 1 ? one : many}`
}

function toHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
