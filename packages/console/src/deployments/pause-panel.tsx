import { Alert, Button, Group, Stack, Text } from '@mantine/core'
import type { DeploymentEvent } from '@sluice/contract'
import { IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react'
import { duration, useNow } from '../ui/time.tsx'

type Props = { pause: DeploymentEvent; isContinuing: boolean; mayDecide: boolean; onContinue: () => void }

/** The pause that waits for a person: where, until when, and what happens if nobody decides. */
export const PausePanel = ({ pause, isContinuing, mayDecide, onContinue }: Props) => (
  <Alert color="orange" variant="light" icon={<IconPlayerPause aria-hidden />} title="Paused: it is your turn">
    <Stack gap="sm">
      <Text size="sm">{sentenceOf(pause)}</Text>
      <Countdown pause={pause} />
      <Group>
        <Button
          leftSection={<IconPlayerPlay size={16} aria-hidden />}
          loading={isContinuing}
          disabled={!mayDecide}
          onClick={onContinue}
        >
          Continue
        </Button>
        {!mayDecide && (
          <Text size="sm" c="dimmed">
            Viewers cannot decide; ask a developer.
          </Text>
        )}
      </Group>
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
