import { Alert, Stack, Text } from '@mantine/core'
import type { DeploymentEvent } from '@sluice/contract'
import { IconPlayerPause } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { duration, useNow } from '../ui/time.tsx'

type Props = {
  pause: DeploymentEvent
  title: string
  /** What there is to do about it. */
  children?: ReactNode
}

/** A pause that waits to be ended: where, until when, and what happens if nobody decides. */
export const PausePanel = ({ pause, title, children }: Props) => (
  <Alert color="orange" variant="light" icon={<IconPlayerPause aria-hidden />} title={title}>
    <Stack gap="sm" align="flex-start">
      <Text size="sm">{sentenceOf(pause)}</Text>
      <Countdown pause={pause} />
      {children}
    </Stack>
  </Alert>
)

const places: Record<string, string> = {
  POST_SCALE_UP: 'The new version runs beside the old one and has no traffic yet.',
  POST_TEST_TRAFFIC_SHIFT: 'The new version has the test traffic: try it out.',
  PRE_PRODUCTION_TRAFFIC_SHIFT: 'Next, production traffic shifts to the new version.',
  POST_PRODUCTION_TRAFFIC_SHIFT: 'Production traffic is with the new version; the old one can still take it back.',
}

const sentenceOf = ({ lifecycleStage = '', message = '' }: DeploymentEvent): string => places[lifecycleStage] ?? message

/** The service tells the end of a pause in the words of its event. */
const timeout = /until (\S+Z), when the release (is rolled back|continues by itself)/

const Countdown = ({ pause: { message = '' } }: { pause: DeploymentEvent }) => {
  const now = useNow()
  const [, until, then] = timeout.exec(message) ?? []
  if (until === undefined) return null
  return (
    <Text size="sm" fw={600}>
      Without a decision, the release {then} in {duration(Date.parse(until) - now)}.
    </Text>
  )
}
