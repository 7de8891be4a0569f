import type { ComponentProps } from 'react'
import { classNames } from './class-names.ts'

export type ButtonTone = 'primary' | 'plain' | 'quiet' | 'danger'

const TONES: Record<ButtonTone, string> = {
  primary: 'bg-ink text-page border-transparent hover:opacity-90',
  plain: 'bg-raised text-ink border-line hover:border-line-strong',
  quiet: 'bg-transparent text-ink-soft border-transparent hover:bg-sunken hover:text-ink',
  danger: 'bg-bad-wash text-bad border-transparent hover:border-bad',
}

/** Button styles, also for links that look like buttons. */
export function buttonClass(tone: ButtonTone = 'plain', extra?: string): string {
  return classNames(
    'inline-flex min-h-9 items-center justify-center gap-2 rounded-md border px-3 py-1.5 text-sm font-medium whitespace-nowrap transition-colors disabled:opacity-50 print:hidden',
    TONES[tone],
    extra,
  )
}

export type ButtonProps = ComponentProps<'button'> & { tone?: ButtonTone; busy?: boolean }

export function Button({
  tone,
  busy = false,
  className,
  disabled,
  children,
  ...rest
}: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      className={buttonClass(tone, className)}
      disabled={disabled === true || busy}
      aria-busy={busy}
    >
      {busy ? <Spinner /> : null}
      {children}
    </button>
  )
}

function Spinner() {
  return (
    <span
      aria-hidden="true"
      className="size-3.5 animate-spin rounded-full border-2 border-current border-r-transparent"
    />
  )
}
