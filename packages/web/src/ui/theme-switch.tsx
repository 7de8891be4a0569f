import { Button } from './button.tsx'
import { MoonIcon, SunIcon } from './icons.tsx'
import { toggleTheme, useIsDark } from './theme.ts'

export function ThemeSwitch() {
  const isDark = useIsDark()
  return (
    <Button
      tone="quiet"
      onClick={toggleTheme}
      aria-label={isDark ? 'Switch to light theme' : 'Switch to dark theme'}
    >
      {isDark ? <SunIcon /> : <MoonIcon />}
    </Button>
  )
}
