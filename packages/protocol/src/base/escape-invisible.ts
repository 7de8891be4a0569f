/**
 * Escapes control and format characters as JSON does, except for line breaks. Text from others could
 * otherwise hide a part of itself, reverse its reading direction or control a terminal. Valid JSON
 * stays the same value.
 */
export function escapeInvisible(text: string): string {
  return text.replace(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, escapeCharacter)
}

function escapeCharacter(character: string): string {
  return Array.from({ length: character.length }, (_, at) => {
    const unit = character.charCodeAt(at).toString(16)
    return `\\u${unit.padStart(4, '0')}`
  }).join('')
}
