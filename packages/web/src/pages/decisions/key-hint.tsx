import { LIST_KEYS, setShortcutsOn } from '../../session/shortcuts.ts'
import { Button } from '../../ui/button.tsx'
import { Kbd } from '../../ui/kbd.tsx'

/** Says which keys the list knows. They can be turned off, because speech input types letters. */
export function KeyHint({ isOn }: { isOn: boolean }) {
  return (
    <div className="mt-2 flex min-h-9 flex-wrap items-center gap-x-4 gap-y-1 px-1 text-xs text-ink-faint max-sm:hidden">
      {isOn
        ? LIST_KEYS.map(([key, what]) => (
            <span key={key} className="inline-flex items-center gap-1.5">
              <Kbd>{key}</Kbd>
              {what}
            </span>
          ))
        : null}
      <Button tone="quiet" className="ml-auto text-xs" onClick={() => setShortcutsOn(!isOn)}>
        {isOn ? 'Turn off shortcuts' : 'Turn on shortcuts'}
      </Button>
    </div>
  )
}
