import { Badge, Table, Text } from '@mantine/core'
import type { Freeze } from '@sluice/contract'
import { useInstance } from '../api/use-instance.ts'
import { useOperation } from '../api/use-operation.ts'
import { Answer } from '../ui/answer.tsx'
import { DataTable } from '../ui/data-table.tsx'
import { TextLink } from '../ui/text-link.tsx'
import { ClockTime } from '../ui/time.tsx'

/** Who let what past a freeze, why and until when; the latest first. */
export const FreezeOverrides = ({ freeze: { id, name }, now }: { freeze: Freeze; now: number }) => {
  const overrides = useOperation('listFreezeOverrides', { params: { id }, query: { limit: 100 } })
  return (
    <Answer of={overrides} lines={2}>
      {({ data }) =>
        data.length === 0 ? (
          <Text size="sm" c="dimmed">
            Nothing was let past it.
          </Text>
        ) : (
          <DataTable label={`Let past ${name}`} head={['What', 'Why', 'Who', 'Until']}>
            {data.map((one) => (
              <Table.Tr key={one.id}>
                <Table.Td>
                  {one.moduleInstanceId === undefined ? 'Everything' : <InstanceName id={one.moduleInstanceId} />}
                </Table.Td>
                <Table.Td style={{ overflowWrap: 'anywhere' }}>{one.reason}</Table.Td>
                <Table.Td>{one.createdBy}</Table.Td>
                <Table.Td>
                  <ClockTime at={one.until} />{' '}
                  {now < Date.parse(one.until) && (
                    <Badge variant="light" color="teal" tt="none">
                      In force
                    </Badge>
                  )}
                </Table.Td>
              </Table.Tr>
            ))}
          </DataTable>
        )
      }
    </Answer>
  )
}

const InstanceName = ({ id }: { id: string }) => (
  <TextLink to="/console/instances/$id" params={{ id }} size="sm">
    {useInstance(id)?.name ?? id}
  </TextLink>
)
