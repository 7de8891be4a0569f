import { Button } from '../../ui/button.tsx'

const KEYS = [
  ['j', 'next'],
  ['k', 'previous'],
  ['Enter', 'open'],
  ['Esc', 'close'],
  ['/', 'search'],
] as const

type KeyHintProps = { isOn: boolean; onChange: (isOn: boolean) => void }

/** Says which keys the list knows. They can be turned off, because speech input types letters. */
export function KeyHint({ isOn, onChange }: KeyHintProps) {
  return (
    <div className="mt-2 flex min-h-9 flex-wrap items-center gap-x-4 gap-y-1 px-1 text-xs text-ink-faint max-sm:hidden">
      {isOn
        ? KEYS.map(([key, what]) => (
            <span key={key} className="inline-flex items-center gap-1.5">
              <kbd className="rounded border border-line bg-raised px-1.5 py-0.5 font-mono text-ink-soft">
                {key}
              </kbd>
              {what}
            </span>
          ))
        : null}
      <Button tone="quiet" className="ml-auto text-xs" onClick={() => onChange(!isOn)}>
        {isOn ? 'Turn off shortcuts' : 'Turn on shortcuts'}
      </Button>
    </div>
  )
}
