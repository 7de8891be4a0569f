/** The addresses of documents in the dashboard begin with this. */
export const DOCS = '/docs'

/**
 * The address of what a document links to: another document, a part of this one, or another site.
 * Undefined for other files of the repository, which the dashboard does not have.
 */
export function linkTarget(from: string, href: string): string | undefined {
  if (/^https?:/.test(href)) return href
  if (href.startsWith('#')) return `${DOCS}/${from}${href}`
  const url = new URL(href, `http://docs/${from}`)
  const leaves = href.split('../').length - 1 > from.split('/').length - 1
  if (leaves || url.host !== 'docs') return undefined
  const path = /^\/(.+)\.md$/.exec(url.pathname)?.[1]
  return path === undefined ? undefined : `${DOCS}/${path}${url.hash}`
}
