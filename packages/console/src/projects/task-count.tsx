import { Badge, Text } from '@mantine/core'
import type { RunningRelease, ServiceHealth } from '@sluice/contract'

type Props = { running: RunningRelease; health: ServiceHealth | undefined }

/** Shows running and desired tasks: now, or at the end of a release that had too few. */
export const TaskCount = ({ running, health }: Props) => {
  const { tasksRunning, tasksWanted, tasksStarting = 0 } = { ...running, ...health }
  if (tasksRunning === undefined || tasksWanted === undefined) return null
  const isShort = tasksRunning < tasksWanted
  if (!health && !isShort) return null
  const count = `${tasksRunning} of ${tasksWanted} ${tasksWanted === 1 ? 'task' : 'tasks'}`
  if (!isShort) {
    return (
      <Text size="xs" c="dimmed">
        {count}
      </Text>
    )
  }
  return (
    <Badge color={tasksRunning === 0 ? 'red' : 'orange'} variant="light" tt="none">
      {[count, tasksStarting > 0 && `${tasksStarting} starting`].filter(Boolean).join(' · ')}
    </Badge>
  )
}
