import { escapeXml } from '@touchstone/protocol/base'

/** Escapes text for HTML and turns spans in backticks into `<code>`. */
export function prose(text: string): string {
  return escapeXml(text).replace(/`([^`]+)`/g, '<code>$1</code>')
}

export function paragraph(text: string): string {
  return `<p>${prose(text)}</p>`
}

export function list(items: readonly string[]): string {
  return ['<ul>', ...items.map((item) => `<li>${prose(item)}</li>`), '</ul>'].join('\n')
}

export function section(id: string, heading: string, parts: readonly string[]): string {
  const label = escapeXml(id)
  return [
    `<section aria-labelledby="${label}">`,
    `<h2 id="${label}">${prose(heading)}</h2>`,
    ...parts,
    '</section>',
  ].join('\n')
}

type Column = string | { figures: string }

/** A note is shown in small print below the text of the cell. */
type Cell = string | { text: string; note: string }

export type Table = {
  caption: string
  /** The cells of the first column are row headers. */
  columns: readonly Column[]
  rows: readonly (readonly Cell[])[]
}

export function table({ caption, columns, rows }: Table): string {
  const kinds = columns.map((column) => (typeof column === 'string' ? '' : ' class="figure"'))
  const heads = columns.map((column, at) => {
    const text = typeof column === 'string' ? column : column.figures
    return `<th scope="col"${kinds[at]}>${prose(text)}</th>`
  })
  const body = rows.map((row) => {
    const cells = row.map((cell, at) =>
      at === 0
        ? `<th scope="row">${cellText(cell)}</th>`
        : `<td${kinds[at] ?? ''}>${cellText(cell)}</td>`,
    )
    return `<tr>${cells.join('')}</tr>`
  })
  return [
    '<table>',
    `<caption>${prose(caption)}</caption>`,
    `<thead><tr>${heads.join('')}</tr></thead>`,
    '<tbody>',
    ...body,
    '</tbody>',
    '</table>',
  ].join('\n')
}

function cellText(cell: Cell): string {
  if (typeof cell === 'string') return prose(cell)
  return `${prose(cell.text)} <small>${prose(cell.note)}</small>`
}
