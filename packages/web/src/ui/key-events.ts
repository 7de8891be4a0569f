/** Whether a key is free for shortcuts of the page: not typed, not the browser's, not a dialog's. */
export function isFree(event: KeyboardEvent): boolean {
  const { target, defaultPrevented, ctrlKey, metaKey, altKey } = event
  const isTaken = defaultPrevented || ctrlKey || metaKey || altKey || isDialogOpen()
  return !isTaken && target instanceof HTMLElement && !isTyping(target)
}

function isDialogOpen(): boolean {
  return document.querySelector('dialog[open]') !== null
}

function isTyping(target: HTMLElement): boolean {
  return target.isContentEditable || target.matches('input:not([type=checkbox]), select, textarea')
}
