// Before the first paint, so that nobody sees the other theme flash by.
;(() => {
  const system = matchMedia('(prefers-color-scheme: dark)')
  const apply = () => {
    let chosen = null
    try {
      chosen = localStorage.getItem('touchstone.theme')
    } catch {
      // Storage is closed to us: the system's preference holds.
    }
    const dark = chosen === 'dark' || (chosen !== 'light' && system.matches)
    document.documentElement.dataset.theme = dark ? 'dark' : 'light'
  }
  apply()
  system.addEventListener('change', apply)
  addEventListener('touchstone:theme', apply)
})()
