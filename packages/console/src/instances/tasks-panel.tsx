import { Badge, Button, Code, Group, Modal, Stack, Table, Text, Title } from '@mantine/core'
import type { ModuleInstance, ModuleInstanceTask } from '@sluice/contract'
import { useState } from 'react'
import { useOperation } from '../api/use-operation.ts'
import { CopyableId } from '../ui/buttons/copyable-id.tsx'
import { ErrorPanel } from '../ui/error-panel.tsx'
import { Notice } from '../ui/notice.tsx'
import { QueryResult } from '../ui/query-result.tsx'
import { Section } from '../ui/section.tsx'
import { DataTable } from '../ui/tables/data-table.tsx'
import { TextLink } from '../ui/text-link.tsx'
import { TimeAgo, TimeOfDay } from '../ui/time.tsx'

/** The server refreshes from the cloud at this interval. Milliseconds. */
const everyMs = 5_000

/** Shows the running tasks of an instance and those that stopped within the hour. */
export const TasksPanel = ({ instance: { id } }: { instance: ModuleInstance }) => {
  const [shown, setShown] = useState<string>()
  const tasks = useOperation('listModuleInstanceTasks', { params: { id } }, { refetchInterval: everyMs })
  return (
    <QueryResult of={tasks}>
      {({ data, meta }) => {
        const running = data.filter(({ isStopped }) => !isStopped)
        const over = data.filter(({ isStopped }) => isStopped)
        const asOf = (
          <Text size="sm" c="dimmed">
            As of <TimeOfDay at={meta.observedAt} />
          </Text>
        )
        return (
          <Stack gap="lg">
            <Section title="Running" aside={asOf}>
              {meta.error && <ErrorPanel error={meta.error} />}
              {running.length > 0 && <Tasks label="Running" tasks={running} onLog={setShown} />}
              {running.length === 0 && !meta.error && (
                <Notice title="Nothing is running">Deploy a version, or check below why it stopped.</Notice>
              )}
              {!meta.isComplete && (
                <Text size="sm" c="dimmed" mt="sm">
                  Only the newest are shown.
                </Text>
              )}
            </Section>
            {over.length > 0 && (
              <Section title="Stopped in the last hour">
                <Tasks label="Stopped in the last hour" tasks={over} onLog={setShown} />
              </Section>
            )}
            <Modal
              opened={shown !== undefined}
              onClose={() => setShown(undefined)}
              title={shown && `Log of ${shown.slice(0, shortId)}`}
              size="xl"
            >
              {shown && <TaskLog id={id} task={shown} />}
            </Modal>
          </Stack>
        )
      }}
    </QueryResult>
  )
}

/** Characters that identify a task. */
const shortId = 8

const healths = {
  HEALTHY: { label: 'Healthy', color: 'teal' },
  UNHEALTHY: { label: 'Unhealthy', color: 'red' },
  UNKNOWN: { label: 'Not checked', color: 'gray' },
} as const

type Props = { label: string; tasks: readonly ModuleInstanceTask[]; onLog: (id: string) => void }

const Tasks = ({ label, tasks, onLog }: Props) => {
  const isStopped = tasks.every((task) => task.isStopped)
  const isShared = tasks.some(({ kind }) => kind === 'FUNCTION_VERSION')
  const hasReasons = tasks.some(({ reason }) => reason !== undefined)
  const head = [
    nameOf[tasks[0]?.kind ?? 'TASK'],
    'Status',
    ...(isShared ? ['Invocations', 'Aliases'] : ['Version', 'Zone']),
    isStopped ? 'Stopped' : 'Since',
    ...(hasReasons ? ['Reason'] : []),
    '',
  ]
  return (
    <DataTable label={label} head={head} minWidth={760}>
      {tasks.map((task) => (
        <Table.Tr key={task.id}>
          <Table.Td>
            <CopyableId id={task.id} shown={task.kind === 'TASK' ? task.id.slice(0, shortId) : task.id} />
          </Table.Td>
          <Table.Td>
            <State task={task} />
          </Table.Td>
          {isShared ? (
            <>
              <Table.Td>{task.trafficPercent === undefined ? '' : `${task.trafficPercent} %`}</Table.Td>
              <Table.Td>{task.aliases?.join(', ')}</Table.Td>
            </>
          ) : (
            <>
              <Table.Td>
                <Version task={task} />
              </Table.Td>
              <Table.Td>{task.zone}</Table.Td>
            </>
          )}
          <Table.Td>
            <Moment at={isStopped ? (task.until ?? task.since) : task.since} />
          </Table.Td>
          {hasReasons && (
            <Table.Td fz="sm" miw={240} style={{ overflowWrap: 'anywhere' }}>
              {task.reason}
            </Table.Td>
          )}
          <Table.Td ta="right">
            {task.hasLog && (
              <Button
                size="compact-sm"
                variant="default"
                aria-label={`Log of ${task.id.slice(0, shortId)}`}
                onClick={() => onLog(task.id)}
              >
                Log
              </Button>
            )}
          </Table.Td>
        </Table.Tr>
      ))}
    </DataTable>
  )
}

const nameOf = {
  TASK: 'Task',
  MACHINE: 'Instance',
  FUNCTION_VERSION: 'Version',
  DIRECTORY: 'Directory',
} as const satisfies Record<ModuleInstanceTask['kind'], string>

/** Shows the status and health of a task. Stopped tasks have no health. */
const State = ({ task: { status, health, isStopped } }: { task: ModuleInstanceTask }) => (
  <Group gap={6} wrap="nowrap">
    <Text size="sm">{titled(status)}</Text>
    {!isStopped && (
      <Badge size="sm" variant="light" tt="none" color={healths[health].color}>
        {healths[health].label}
      </Badge>
    )}
  </Group>
)

/** Formats `DEPROVISIONING` in sentence case and leaves other values unchanged. */
const titled = (status: string): string =>
  /^[A-Z]+$/.test(status) ? status.charAt(0) + status.slice(1).toLowerCase() : status

const Version = ({ task: { version, deploymentId } }: { task: ModuleInstanceTask }) =>
  version && deploymentId ? (
    <TextLink to="/console/deployments/$id" params={{ id: deploymentId }} size="sm">
      {version}
    </TextLink>
  ) : (
    version
  )

const Moment = ({ at }: { at: string | undefined }) => (at === undefined ? '' : <TimeAgo at={at} />)

const timeOfDay = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' })

const TaskLog = ({ id, task }: { id: string; task: string }) => {
  const log = useOperation(
    'getModuleInstanceTaskLog',
    { params: { id }, query: { task } },
    { refetchInterval: everyMs },
  )
  return (
    <QueryResult of={log}>
      {({ data: { containers, error } }) => (
        <Stack gap="md">
          {error && <ErrorPanel error={error} />}
          {containers.map(({ name, lines, missing }) => (
            <section key={name} aria-label={name}>
              <Title order={3} size="h6" mb="xs">
                {name}
              </Title>
              {lines.length > 0 ? (
                <Code block tabIndex={0} mah={420} style={{ overflow: 'auto', whiteSpace: 'pre-wrap' }}>
                  {lines
                    .map(({ timestamp, message }) => `${timeOfDay.format(new Date(timestamp))} ${message}`)
                    .join('\n')}
                </Code>
              ) : (
                <Text size="sm" c="dimmed">
                  {missing ?? 'No log output.'}
                </Text>
              )}
            </section>
          ))}
        </Stack>
      )}
    </QueryResult>
  )
}
