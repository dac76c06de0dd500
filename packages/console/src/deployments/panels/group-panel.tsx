import { Code, ScrollArea, Stack, Table, Text } from '@mantine/core'
import type { Ec2DeploymentData, GroupRelease, InstanceRelease, InstanceReleaseResult } from '@sluice/contract'
import { Facts } from '../../ui/facts.tsx'
import { Section } from '../../ui/section.tsx'

/** Shows an Auto Scaling group: the release and its result on each instance. */
export const GroupPanel = ({ data }: { data: Ec2DeploymentData }) => {
  const { autoScalingGroupName, instances = [], concurrencyMax, errorsMax, automaticRollback } = data
  return (
    <>
      <Section title="Release">
        <Facts
          facts={{
            Before: data.previousRelease && <Release release={data.previousRelease} />,
            New: data.deployedRelease && <Release release={data.deployedRelease} />,
            Group: autoScalingGroupName,
            'Instances at a time': concurrencyMax,
            'Allowed failures': errorsMax,
            'Automatic rollback':
              automaticRollback &&
              `${rollbackLabels[automaticRollback.status ?? automaticRollback.decision]}: ${automaticRollback.reason}`,
          }}
        />
      </Section>
      <Section title="Instances" aside={<Text c="dimmed">{instances.length}</Text>}>
        {instances.length === 0 ? (
          <Text c="dimmed">Instances appear here when their update starts.</Text>
        ) : (
          <Instances instances={instances} />
        )}
      </Section>
    </>
  )
}

const rollbackLabels = {
  CONSIDERED: 'Considered',
  TRIGGERED: 'Triggered',
  IN_PROGRESS: 'In progress',
  SUCCESS: 'Done',
  ERROR: 'Failed',
} as const

const Release = ({ release: { runtime, imageUri, commands = [], source } }: { release: GroupRelease }) => {
  if (runtime === 'container') return <Code style={{ overflowWrap: 'anywhere' }}>{imageUri}</Code>
  return (
    <Stack gap={4}>
      {source && (
        <Text size="sm">
          {source.repo} {source.ref ?? source.branch}
        </Text>
      )}
      <Code block>{commands.join('\n')}</Code>
    </Stack>
  )
}

const Instances = ({ instances }: { instances: readonly InstanceRelease[] }) => (
  <ScrollArea>
    <Table>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>Instance</Table.Th>
          <Table.Th>New release</Table.Th>
          <Table.Th>Rollback</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {instances.map((instance) => (
          <Table.Tr key={instance.instanceId}>
            <Table.Td>{instance.instanceId}</Table.Td>
            <Table.Td>
              <Result result={instance} />
            </Table.Td>
            <Table.Td>{instance.returned ? <Result result={instance.returned} /> : '–'}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  </ScrollArea>
)

const resultLabels = {
  PENDING: 'Pending',
  IN_PROGRESS: 'Updating',
  SUCCESS: 'Updated',
  FAILED: 'Failed',
  TIMED_OUT: 'Timed out',
  CANCELLED: 'Cancelled',
  UNREACHABLE: 'Unreachable',
  GONE: 'Left the group',
} as const satisfies Record<InstanceReleaseResult['status'], string>

const Result = ({ result: { status, exitCode, output } }: { result: InstanceReleaseResult }) => (
  <Stack gap={4}>
    <Text size="sm" fw={status === 'SUCCESS' || status === 'PENDING' ? 400 : 600}>
      {resultLabels[status]}
      {exitCode !== undefined && exitCode !== 0 && `, exit code ${exitCode}`}
    </Text>
    {output && <Code block>{output}</Code>}
  </Stack>
)
