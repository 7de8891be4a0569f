/** Makes the anchors of headings as GitHub does, so that links work there and here. */
export function createSlugger(): (heading: string) => string {
  const seen = new Map<string, number>()
  return (heading) => {
    const slug = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\p{M}\s_-]/gu, '')
      .trim()
      .replace(/\s/g, '-')
    const before = seen.get(slug) ?? 0
    seen.set(slug, before + 1)
    return before === 0 ? slug : `${slug}-${before}`
  }
}
