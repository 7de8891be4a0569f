import { AlertChoices } from '../../alerts/alert-choices.tsx'
import { Popover } from '../../ui/popover.tsx'

export function AlertMenu() {
  return (
    <div className="relative">
      <Popover label="Notifications" align="end">
        {() => <AlertChoices />}
      </Popover>
    </div>
  )
}
