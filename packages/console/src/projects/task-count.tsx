import { Badge, Text } from '@mantine/core'
import type { RunningRelease, ServiceHealth } from '@sluice/contract'

type Props = { running: RunningRelease; health: ServiceHealth | undefined }

/** Shows running and desired tasks: now, or at the end of a release that had too few. */
export const TaskCount = ({ running, health }: Props) => {
  const { runningTasks, desiredTasks, startingTasks = 0 } = { ...running, ...health }
  if (runningTasks === undefined || desiredTasks === undefined) return null
  const isShort = runningTasks < desiredTasks
  if (!health && !isShort) return null
  const count = `${runningTasks} of ${desiredTasks} ${desiredTasks === 1 ? 'task' : 'tasks'}`
  if (!isShort) {
    return (
      <Text size="xs" c="dimmed">
        {count}
      </Text>
    )
  }
  return (
    <Badge color={runningTasks === 0 ? 'red' : 'orange'} variant="light" tt="none">
      {[count, startingTasks > 0 && `${startingTasks} starting`].filter(Boolean).join(' · ')}
    </Badge>
  )
}
