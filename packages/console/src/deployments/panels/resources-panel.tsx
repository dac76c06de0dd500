import { Group, Stack, Table, Text } from '@mantine/core'
import type { Deployment, DeploymentResource } from '@sluice/contract'
import { isDeploymentOver } from '@sluice/contract/states'
import { useOperation } from '../../api/use-operation.ts'
import { ErrorPanel, errorOf } from '../../ui/error-panel.tsx'
import { Section } from '../../ui/section.tsx'
import { DataTable } from '../../ui/tables/data-table.tsx'
import { TimeAgo, TimeOfDay } from '../../ui/time.tsx'

/** The server refreshes from the cloud at this interval. Milliseconds. */
const refetchIntervalMs = 5_000

/** Shows the cloud resources of a release: live while it runs, then as they were at its end. */
export const ResourcesPanel = ({ deployment }: { deployment: Deployment }) => {
  const { id } = deployment
  const refetchInterval = isDeploymentOver(deployment.status) ? false : refetchIntervalMs
  const { data: answer, error } = useOperation('listDeploymentResources', { params: { id } }, { refetchInterval })
  if (error) return <ErrorPanel error={errorOf(error)} />
  if (!answer || (answer.data.length === 0 && !answer.meta.error)) return null
  const { data, meta } = answer
  const asOf = meta.observedAt && (
    <Text size="sm" c="dimmed">
      {meta.isLive ? 'As of ' : 'At the end, '}
      <TimeOfDay at={meta.observedAt} />
    </Text>
  )
  return (
    <Section title="Cloud resources" aside={asOf}>
      <Stack gap="sm">
        {meta.error && <ErrorPanel error={meta.error} />}
        <DataTable label="Cloud resources" head={['Resource', 'Release', 'Status', 'Since']} minWidth={560}>
          {data.map((resource) => (
            <Resource key={`${resource.kind} ${resource.id} ${resource.release}`} resource={resource} />
          ))}
        </DataTable>
        {!meta.isComplete && !meta.error && (
          <Text size="sm" c="dimmed">
            More resources are not shown.
          </Text>
        )}
      </Stack>
    </Section>
  )
}

const Resource = ({ resource }: { resource: DeploymentResource }) => {
  const { kind, id, name, release, version, since, until, reason } = resource
  const why = reason ?? resource.command?.output
  return (
    <Table.Tr>
      <Table.Td>
        <Text size="sm" c="dimmed">
          {nameOf[kind]}
        </Text>
        <Text size="sm" ff="monospace" title={id} style={{ overflowWrap: 'anywhere' }}>
          {name}
        </Text>
      </Table.Td>
      <Table.Td>
        <Group gap={6}>
          {release && <Text size="sm">{release === 'NEW' ? 'New' : 'Previous'}</Text>}
          {version && version !== name && (
            <Text size="sm" c="dimmed">
              {version}
            </Text>
          )}
        </Group>
      </Table.Td>
      <Table.Td>
        <Text size="sm">{describeState(resource).join(' · ')}</Text>
        {why && (
          <Text size="xs" c="dimmed" style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-wrap' }}>
            {why}
          </Text>
        )}
      </Table.Td>
      <Table.Td>{(until ?? since) && <TimeAgo at={until ?? since ?? ''} />}</Table.Td>
    </Table.Tr>
  )
}

const nameOf = {
  SERVICE: 'Service',
  TASK_DEFINITION: 'Task definition',
  TASK: 'Task',
  TARGET_GROUP: 'Target group',
  FUNCTION: 'Function',
  FUNCTION_ALIAS: 'Alias',
  FUNCTION_VERSION: 'Version',
  MACHINE_GROUP: 'Auto Scaling group',
  MACHINE: 'Instance',
  DIRECTORY: 'Directory',
  DISTRIBUTION: 'Distribution',
  INVALIDATION: 'Invalidation',
} as const satisfies Record<DeploymentResource['kind'], string>

/** Describes the state of a resource: cloud status and counts. */
function describeState(resource: DeploymentResource): string[] {
  const { status, health, trafficPercent, desiredCount, runningCount, healthyCount, targetCount } = resource
  const { objectCount, command, zone, address } = resource
  return [
    status && toSentenceCase(status),
    health === 'HEALTHY' ? 'healthy' : health === 'UNHEALTHY' ? 'unhealthy' : undefined,
    trafficPercent === undefined ? undefined : `${trafficPercent} % of invocations`,
    desiredCount === undefined ? undefined : `${runningCount} of ${desiredCount} tasks running`,
    targetCount === undefined ? undefined : `${healthyCount} of ${targetCount} targets healthy`,
    objectCount === undefined ? undefined : `${objectCount >= maxCounted ? 'at least ' : ''}${objectCount} objects`,
    command && `command: ${toSentenceCase(command.status)}${command.exitCode ? `, exit code ${command.exitCode}` : ''}`,
    zone,
    address,
  ].flatMap((part) => (part ? [part] : []))
}

/** The server stops counting here. */
const maxCounted = 1_000

/** Formats values such as `IN_PROGRESS` in sentence case and leaves other values unchanged. */
const toSentenceCase = (word: string): string =>
  /^[A-Z_]+$/.test(word) ? word.charAt(0) + word.slice(1).toLowerCase().replaceAll('_', ' ') : word
