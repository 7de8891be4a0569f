/** Characters that XML cannot represent at all, such as control characters and lone surrogates. */
const NOT_XML = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu
const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Escapes text and quoted attribute values for XML and HTML. */
export function escapeXml(text: string): string {
  return text
    .replace(NOT_XML, '\u{fffd}')
    .replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '')
}
