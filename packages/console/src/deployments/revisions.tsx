import { Group, Paper, Progress, SimpleGrid, Stack, Text } from '@mantine/core'
import type { EcsDeploymentData, ServiceRevision } from '@sluice/contract'
import { imageOf } from './release-display.ts'
import { TrafficSplit } from './traffic-split.tsx'

/** Compares the old and the new version: tasks and traffic. */
export const Revisions = ({ data }: { data: EcsDeploymentData }) => {
  const { serviceDeploymentState: state, previousTaskDefinition, deployedTaskDefinition } = data
  const [source] = state?.sourceServiceRevisions ?? []
  const target = state?.targetServiceRevision
  return (
    <Stack>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <Revision
          title="Previous"
          image={imageOf(previousTaskDefinition?.definition)}
          number={previousTaskDefinition?.revision}
          revision={source}
          color="gray"
        />
        <Revision
          title="New"
          image={imageOf(deployedTaskDefinition?.definition)}
          number={deployedTaskDefinition?.revision}
          revision={target}
          color="water"
        />
      </SimpleGrid>
      {target?.requestedProductionTrafficWeight !== undefined && (
        <TrafficSplit title="Production traffic" newPercent={target.requestedProductionTrafficWeight} />
      )}
      {target?.requestedTestTrafficWeight !== undefined && (
        <TrafficSplit title="Test traffic" newPercent={target.requestedTestTrafficWeight} />
      )}
    </Stack>
  )
}

type Props = {
  title: string
  image: string | undefined
  number: number | undefined
  revision: ServiceRevision | undefined
  color: string
}

const Revision = ({ title, image, number, revision, color }: Props) => {
  const {
    requestedTaskCount: wanted = 0,
    runningTaskCount: running = 0,
    pendingTaskCount: pending = 0,
  } = revision ?? {}
  const most = Math.max(wanted, running + pending, 1)
  return (
    <Paper withBorder p="sm">
      <Text size="xs" c="dimmed" fw={600}>
        {title}
      </Text>
      <Text fw={650} truncate>
        {image ?? '–'}
      </Text>
      <Text size="sm" c="dimmed">
        {number === undefined ? 'Not registered yet' : `task definition revision ${number}`}
      </Text>
      {revision && (
        <>
          <Group justify="space-between" mt="sm" mb={4}>
            <Text size="sm">
              {running} of {wanted} tasks running
            </Text>
            {pending > 0 && (
              <Text size="sm" c="dimmed">
                {pending} starting
              </Text>
            )}
          </Group>
          <Progress.Root size="lg" aria-label={`${title}: tasks`}>
            <Progress.Section value={(100 * running) / most} color={color} aria-label="running" />
            <Progress.Section value={(100 * pending) / most} color={color} striped animated aria-label="starting" />
          </Progress.Root>
        </>
      )}
    </Paper>
  )
}
