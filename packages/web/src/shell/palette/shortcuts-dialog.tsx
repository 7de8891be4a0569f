import { LIST_KEYS, setShortcutsOn, useShortcutsOn } from '../../session/shortcuts.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Kbd } from '../../ui/kbd.tsx'
import { PALETTE_KEYS } from './palette-keys.ts'

/** Lists the shortcuts of the console. */
export function ShortcutsDialog({ onClose }: { onClose: () => void }) {
  const isOn = useShortcutsOn()
  return (
    <Dialog open onClose={onClose} title="Keyboard shortcuts">
      <Keys title="Everywhere" keys={[[PALETTE_KEYS, 'command palette'], ...(isOn ? HELP : [])]} />
      {isOn ? <Keys title="In the list of decisions" keys={LIST_KEYS} /> : null}
      <label className="flex items-center gap-2 text-sm">
        <input
          type="checkbox"
          checked={isOn}
          onChange={(event) => setShortcutsOn(event.target.checked)}
        />
        Use single letters as shortcuts
      </label>
    </Dialog>
  )
}

const HELP = [['?', 'this list']] as const

type KeysProps = { title: string; keys: readonly (readonly [string, string])[] }

function Keys({ title, keys }: KeysProps) {
  return (
    <section>
      <h3 className="text-sm font-medium">{title}</h3>
      <dl className="mt-2 grid gap-2 text-sm">
        {keys.map(([key, what]) => (
          <div key={key} className="flex items-center justify-between gap-4">
            <dt className="text-ink-soft">{what.charAt(0).toUpperCase() + what.slice(1)}</dt>
            <dd>
              <Kbd>{key}</Kbd>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
