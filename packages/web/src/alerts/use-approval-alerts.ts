import { useNavigate } from '@tanstack/react-router'
import { escapeInvisible } from '@touchstone/protocol/base'
import { useEffect, useRef } from 'react'
import { useLiveStream } from '../session/use-live-stream.ts'
import { readAlertSettings } from './alert-settings.ts'
import { newEscalations } from './new-escalations.ts'
import { showNotification } from './notification.ts'
import { playTone } from './tone.ts'

/**
 * Announces the calls that need a person while any page of the console is open, if the reader wants it. Pass
 * undefined while the organisation is locked.
 */
export function useApprovalAlerts(orgId: string | undefined): void {
  const { orgId: streamOrgId, events } = useLiveStream()
  const navigate = useNavigate()
  const announced = useRef(new Set<string>())
  useEffect(() => {
    if (streamOrgId !== orgId) return
    const found = newEscalations(events, announced.current)
    if (found.length === 0) return
    for (const { escalationId } of found) announced.current.add(escalationId)
    const { notification, sound } = readAlertSettings()
    if (sound) playTone()
    if (!notification) return
    for (const { escalationId, agentId, tool } of found) {
      const text = {
        title: 'Approval needed',
        body: `${agentId} wants to call ${escapeInvisible(tool)}`,
        tag: escalationId,
      }
      showNotification(text, () => {
        void navigate({
          to: '/o/$orgId/approvals/$escalationId',
          params: { orgId: streamOrgId, escalationId },
        })
      })
    }
  }, [events, navigate, orgId, streamOrgId])
}
