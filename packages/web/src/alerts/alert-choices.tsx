import { useState } from 'react'
import { readAlertSettings, storeAlertSettings } from './alert-settings.ts'
import { showNotification } from './notification.ts'
import { playTone } from './tone.ts'

/** How this browser announces calls that need a person. Both ways are off until they are turned on. */
export function AlertChoices() {
  const [settings, setSettings] = useState(readAlertSettings)
  const [isRefused, setIsRefused] = useState(false)
  const setNotification = async (notification: boolean) => {
    const isAllowed = !notification || (await tryNotification())
    setIsRefused(!isAllowed)
    setSettings(storeAlertSettings({ ...settings, notification: notification && isAllowed }))
  }
  const setSound = (sound: boolean) => {
    setSettings(storeAlertSettings({ ...settings, sound }))
    if (sound) playTone()
  }
  return (
    <>
      <p className="text-sm text-ink-soft">
        In this browser, while a page of the dashboard is open.
      </p>
      <Choice
        label="Desktop notification"
        isOn={settings.notification}
        onChange={(isOn) => void setNotification(isOn)}
      />
      {isRefused ? (
        <p role="alert" className="text-sm text-bad">
          Your browser does not allow notifications from this page.
        </p>
      ) : null}
      <Choice label="Sound" isOn={settings.sound} onChange={setSound} />
    </>
  )
}

/** The reader sees at once what a notification looks like, or that there will be none. */
async function tryNotification(): Promise<boolean> {
  if (!('Notification' in window)) return false
  await Notification.requestPermission()
  return showNotification({
    title: 'Notifications are on',
    body: 'You will be notified about calls that need approval.',
    tag: 'touchstone',
  })
}

type ChoiceProps = { label: string; isOn: boolean; onChange: (isOn: boolean) => void }

function Choice({ label, isOn, onChange }: ChoiceProps) {
  return (
    <label className="flex min-h-9 cursor-pointer items-center gap-2.5 text-sm">
      <input
        type="checkbox"
        checked={isOn}
        onChange={(event) => onChange(event.target.checked)}
        className="size-4 accent-accent"
      />
      {label}
    </label>
  )
}
