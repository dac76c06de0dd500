import { Timeline as Line, Text } from '@mantine/core'
import type { DeploymentEvent } from '@sluice/contract'
import { stageName } from '@sluice/contract/stages'
import { IconAlertCircle, IconCheck, IconPlayerPause, IconPlayerPlay } from '../ui/icons.tsx'
import { InReadersTime, TimeOfDay } from '../ui/time.tsx'

const marks: Partial<Record<DeploymentEvent['stepCode'], { color: string; Icon: typeof IconCheck }>> = {
  QUEUED: { color: 'gray', Icon: IconPlayerPause },
  PAUSED: { color: 'orange', Icon: IconPlayerPause },
  CONTINUED: { color: 'water', Icon: IconPlayerPlay },
  COMPLETED: { color: 'teal', Icon: IconCheck },
  WARNING: { color: 'orange', Icon: IconAlertCircle },
  FAILED: { color: 'red', Icon: IconAlertCircle },
  ROLLBACK_STARTED: { color: 'red', Icon: IconAlertCircle },
  ROLLED_BACK: { color: 'red', Icon: IconAlertCircle },
}

/** Shows the events, newest first. */
export const Timeline = ({ events }: { events: readonly DeploymentEvent[] }) => {
  if (events.length === 0) return <Text c="dimmed">No events yet. The deployment is queued.</Text>
  return (
    <Line bulletSize={22} lineWidth={2} active={events.length}>
      {events.toReversed().map((event, index) => {
        const { color = 'water', Icon = IconCheck } = marks[event.stepCode] ?? {}
        return (
          <Line.Item
            key={events.length - index} // events are append-only; two warnings can have the same time and step
            color={color}
            bullet={<Icon size={12} aria-hidden />}
            title={stageName(event.stepCode)}
          >
            {event.message && (
              <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
                <InReadersTime sentence={event.message} />
              </Text>
            )}
            <Text size="xs" c="dimmed">
              <TimeOfDay at={event.startedAt} />
            </Text>
          </Line.Item>
        )
      })}
    </Line>
  )
}
