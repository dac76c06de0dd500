import { Table } from '@mantine/core'
import type { Limit } from '@sluice/contract'
import { useOperation } from '../../api/use-operation.ts'
import { QueryResult } from '../../ui/query-result.tsx'
import { Section } from '../../ui/section.tsx'
import { DataTable } from '../../ui/tables/data-table.tsx'

/** Lists limits of the organization with their usage. */
export const LimitsSection = () => {
  const limits = useOperation('getLimits', {})
  return (
    <Section title="Limits">
      <QueryResult of={limits}>
        {({ data }) => (
          <DataTable label="Limits" head={['Scope', 'Limit', 'Usage', 'Maximum']}>
            {data.limits.map((limit) => (
              <LimitRow key={limit.name} limit={limit} />
            ))}
          </DataTable>
        )}
      </QueryResult>
    </Section>
  )
}

const number = new Intl.NumberFormat('en')

const LimitRow = ({ limit: { per, unit, used, max, isPerProcess } }: { limit: Limit }) => (
  <Table.Tr>
    <Table.Td>Per {per}</Table.Td>
    <Table.Td>
      {unit}
      {isPerProcess && ', per server process'}
    </Table.Td>
    <Table.Td>{used === undefined ? '' : number.format(used)}</Table.Td>
    <Table.Td>{max === null ? 'No limit' : number.format(max)}</Table.Td>
  </Table.Tr>
)
