import { Badge, Table, Text } from '@mantine/core'
import type { FreezeOverride, PolicyOverride } from '@sluice/contract'
import { useInstance } from '../../api/use-instance.ts'
import { useOperation } from '../../api/use-operation.ts'
import { DataTable } from '../../ui/tables/data-table.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { ClockTime } from '../../ui/time.tsx'

type Props = {
  /** Name of the rule. */
  name: string
  overrides: readonly (FreezeOverride | PolicyOverride)[]
  now: number
}

/** Lists overrides, newest first. */
export const OverrideTable = ({ name, overrides, now }: Props) =>
  overrides.length === 0 ? (
    <Text size="sm" c="dimmed">
      No overrides yet.
    </Text>
  ) : (
    <DataTable label={`Overrides of ${name}`} head={['Scope', 'Reason', 'Created by', 'Until']}>
      {overrides.map((one) => (
        <Table.Tr key={one.id}>
          <Table.Td>
            <What of={one} />
          </Table.Td>
          <Table.Td style={{ overflowWrap: 'anywhere' }}>{one.reason}</Table.Td>
          <Table.Td>{one.createdBy}</Table.Td>
          <Table.Td>
            <ClockTime at={one.until} />{' '}
            {now < Date.parse(one.until) && (
              <Badge variant="light" color="teal" tt="none">
                Active
              </Badge>
            )}
          </Table.Td>
        </Table.Tr>
      ))}
    </DataTable>
  )

const What = ({ of: one }: { of: Props['overrides'][number] }) => {
  if (one.moduleInstanceId !== undefined) return <InstanceName id={one.moduleInstanceId} />
  if ('pipelineId' in one && one.pipelineId !== undefined) return <PipelineName id={one.pipelineId} />
  return 'Everything'
}

const PipelineName = ({ id }: { id: string }) => (
  <TextLink to="/console/pipelines/$id" params={{ id }} size="sm">
    {useOperation('getPipeline', { params: { id } }).data?.data.name ?? id}
  </TextLink>
)

const InstanceName = ({ id }: { id: string }) => (
  <TextLink to="/console/instances/$id" params={{ id }} size="sm">
    {useInstance(id)?.name ?? id}
  </TextLink>
)
