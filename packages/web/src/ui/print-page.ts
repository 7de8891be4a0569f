/** Opens the print dialog of the browser with the light theme, which saves ink. */
export function printPage(): void {
  const { dataset } = document.documentElement
  const before = dataset['theme']
  dataset['theme'] = 'light'
  window.print()
  if (before !== undefined) dataset['theme'] = before
}
