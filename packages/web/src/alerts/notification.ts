export type NotificationText = { title: string; body: string; tag: string }

/** False if the reader has not allowed notifications, or the browser shows none from a page, as on Android. */
export function showNotification(
  { title, body, tag }: NotificationText,
  onClick?: () => void,
): boolean {
  if (!('Notification' in window) || Notification.permission !== 'granted') return false
  try {
    const shown = new Notification(title, { body, tag })
    shown.onclick = () => {
      window.focus()
      shown.close()
      onClick?.()
    }
    return true
  } catch {
    return false
  }
}
