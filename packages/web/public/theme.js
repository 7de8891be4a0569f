// Runs before the first paint so that the wrong theme never flashes.
;(() => {
  const system = matchMedia('(prefers-color-scheme: dark)')
  const apply = () => {
    let chosen = null
    try {
      chosen = localStorage.getItem('touchstone.theme')
    } catch {
      // localStorage is blocked: fall back to the system preference.
    }
    const dark = chosen === 'dark' || (chosen !== 'light' && system.matches)
    document.documentElement.dataset.theme = dark ? 'dark' : 'light'
  }
  apply()
  system.addEventListener('change', apply)
  addEventListener('touchstone:theme', apply)
})()
