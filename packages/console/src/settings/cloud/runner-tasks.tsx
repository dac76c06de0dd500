import { Button, Group, Stack, Table, Text } from '@mantine/core'
import type { ExecutionEnvironment, RunnerTask } from '@sluice/contract'
import { client } from '../../api/client.ts'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useCompleteList } from '../../api/use-pages.ts'
import { usePermission } from '../../api/use-permission.ts'
import { ErrorPanel, errorOf } from '../../ui/error-panel.tsx'
import { DataTable } from '../../ui/tables/data-table.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { TimeAgo } from '../../ui/time.tsx'

/** Shows whether tasks can start in a cloud execution environment, and the running ones. */
export const RunnerTasks = ({ of: { id, name, isReady, problem } }: { of: ExecutionEnvironment }) => {
  const { data: starting = [] } = useCompleteList('listRunnerTasks', { executionEnvironmentId: id, status: 'STARTING' })
  const { data: started = [] } = useCompleteList('listRunnerTasks', { executionEnvironmentId: id, status: 'STARTED' })
  const may = usePermission('execution-environments:write')
  const check = useApiMutation(
    () => client.checkExecutionEnvironment({ params: { id } }),
    ['listExecutionEnvironments', 'listRunnerTasks'],
  )
  const tasks = [...starting, ...started]
  return (
    <Stack gap="xs" pl="md">
      <Group justify="space-between">
        <Text size="sm">
          {isReady && 'Ready. '} {tasks.length} {tasks.length === 1 ? 'task' : 'tasks'} in progress
        </Text>
        <Button
          size="xs"
          variant="default"
          disabled={!may.isAllowed}
          loading={check.isPending}
          aria-label={`Check status of ${name}`}
          onClick={() => check.mutate(undefined)}
        >
          Check status
        </Button>
      </Group>
      {problem && (
        <Text size="sm" c="var(--mantine-color-error)">
          {problem}
        </Text>
      )}
      {check.error && <ErrorPanel error={errorOf(check.error)} />}
      {tasks.length > 0 && (
        <DataTable label={`Tasks of ${name}`} head={['Step', 'Task', 'Since']} minWidth={480}>
          {tasks.map((one) => (
            <TaskRow key={one.id} of={one} />
          ))}
        </DataTable>
      )}
    </Stack>
  )
}

const TaskRow = ({ of: { pipelineRunId, stepName, status, claimedAt, error, createdAt } }: { of: RunnerTask }) => (
  <Table.Tr>
    <Table.Td>
      <TextLink to="/console/runs/$id" params={{ id: pipelineRunId }}>
        {stepName}
      </TextLink>
    </Table.Td>
    <Table.Td>
      <Text size="sm">{claimedAt ? 'Running' : status === 'STARTED' ? 'Starting' : 'Requested'}</Text>
      {error && (
        <Text size="xs" c="var(--mantine-color-error)">
          {error}
        </Text>
      )}
    </Table.Td>
    <Table.Td>
      <TimeAgo at={createdAt} />
    </Table.Td>
  </Table.Tr>
)
