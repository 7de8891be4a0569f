/** The text that this browser keeps under the key; null if it has none or localStorage is blocked. */
export function readStored(key: string): string | null {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}

/** False if localStorage is blocked or full, so nothing is kept. */
export function store(key: string, text: string): boolean {
  try {
    localStorage.setItem(key, text)
    return true
  } catch {
    return false
  }
}

export function removeStored(key: string): void {
  try {
    localStorage.removeItem(key)
  } catch {
    // localStorage is blocked, so nothing is kept.
  }
}
