import { Alert, Stack, Text } from '@mantine/core'
import type { Deployment, DeploymentEvent, PauseForecast } from '@sluice/contract'
import type { ReactNode } from 'react'
import { usePermission } from '../../api/use-permission.ts'
import { useBlockingFreezes } from '../../freezes/use-freezes.ts'
import { IconPlayerPause, IconProgressCheck } from '../../ui/icons.tsx'
import { duration, TimeOfDay, useNow } from '../../ui/time.tsx'
import { usePausePreview } from '../use-pause-preview.ts'

type Props = {
  deployment: Deployment
  pause: DeploymentEvent
  /** Overrides the title if a step or a check ends the pause. */
  title?: string
  /** Buttons for the decision. */
  children?: ReactNode
}

/** Shows a pending pause: its reason, who can end it, and what happens on timeout. */
export const PausePanel = ({ deployment, pause, title, children }: Props) => {
  const { forecast } = usePausePreview(deployment, pause)
  const { isAllowed: canDecide, reason } = usePermission('approvals:write')
  const [freeze] = useBlockingFreezes('CONTINUES', deployment)
  const isChecked = forecast?.checksContinueAt !== undefined
  const isKnown = canDecide || reason !== ''
  return (
    <Alert
      color={isChecked ? 'water' : 'orange'}
      variant="light"
      icon={isChecked ? <IconProgressCheck aria-hidden /> : <IconPlayerPause aria-hidden />}
      title={
        title ?? (isKnown || freeze ? pauseTitle({ isFrozen: freeze !== undefined, isChecked, canDecide }) : 'Paused')
      }
    >
      <Stack gap="sm" align="flex-start">
        <Text size="sm">{describePause(pause)}</Text>
        {!freeze && forecast?.checksContinueAt && <CheckSchedule at={forecast.checksContinueAt} />}
        {forecast && <Countdown forecast={forecast} />}
        {children}
      </Stack>
    </Alert>
  )
}

/** Tells only members who can decide that the pause waits for them. */
function pauseTitle({
  isFrozen,
  isChecked,
  canDecide,
}: {
  isFrozen: boolean
  isChecked: boolean
  canDecide: boolean
}): string {
  if (isFrozen) return 'Paused: blocked by a freeze'
  if (isChecked) return 'Paused: waiting for checks'
  return canDecide ? 'Paused: waiting for you' : 'Paused: waiting for an approver'
}

const stagePhrases: Record<string, string> = {
  POST_SCALE_UP: 'The new version is running next to the old one and gets no traffic yet.',
  POST_TEST_TRAFFIC_SHIFT: 'The new version gets the test traffic. Test it now.',
  PRE_PRODUCTION_TRAFFIC_SHIFT: 'Next, production traffic shifts to the new version.',
  POST_PRODUCTION_TRAFFIC_SHIFT: 'The new version gets production traffic. You can still roll back to the old version.',
}

const describePause = ({ lifecycleStage = '', message = '' }: DeploymentEvent): string =>
  stagePhrases[lifecycleStage] ?? message

const CheckSchedule = ({ at }: { at: string }) => {
  const now = useNow()
  const leftMs = Date.parse(at) - now
  return (
    <Text size="sm" fw={600}>
      The release continues automatically while all checks pass
      {leftMs > 0 ? `: in ${duration(leftMs)} at the earliest, at ` : ': due at '} <TimeOfDay at={at} />. If a check
      fails, it is rolled back. No action is needed.
    </Text>
  )
}

const Countdown = ({ forecast: { expiresAt, timeoutAction, checksContinueAt } }: { forecast: PauseForecast }) => {
  const now = useNow()
  if (expiresAt === undefined) return null
  const then = timeoutAction === 'CONTINUE' ? 'continues automatically' : 'is rolled back'
  return (
    <Text size="sm" fw={checksContinueAt === undefined ? 600 : 400}>
      Without a decision, the release {then} in {duration(Date.parse(expiresAt) - now)}.
    </Text>
  )
}
