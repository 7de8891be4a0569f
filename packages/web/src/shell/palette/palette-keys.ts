/** The keys that open the palette, as this computer's keyboard names them. */
export const PALETTE_KEYS = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘K' : 'Ctrl K'
