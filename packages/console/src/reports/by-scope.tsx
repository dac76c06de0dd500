import { SegmentedControl } from '@mantine/core'
import { useOperation } from '../api/use-operation.ts'
import { QueryResult } from '../ui/query-result.tsx'
import { Section } from '../ui/section.tsx'
import { TextLink } from '../ui/text-link.tsx'
import { CsvLink } from './csv-link.tsx'
import { deliveryColumns } from './deliveries.tsx'
import { FigureTable } from './figure-table.tsx'
import {
  deliveryScope,
  type Filters,
  filtersForGroup,
  type ReportDimension,
  reportDimensionOf,
  reportDimensions,
  scopeOfGroup,
} from './filters.ts'
import type { TimeRange } from './period.ts'

type Props = { filters: Filters; time: TimeRange; onChange: (filters: Filters) => void }

/** Compares the four key metrics by project, environment, instance or team. */
export const ByScope = ({ filters, time, onChange }: Props) => {
  const division = reportDimensionOf(filters)
  const scope = deliveryScope(filters)
  const query = { ...time, ...scope, interval: 'TOTAL' as const, groupBy: division }
  const report = useOperation('getDeliveryReport', { query })
  return (
    <Section title="Comparison" aside={<CsvLink of="the comparison" operation="getDeliveryReport" query={query} />}>
      <SegmentedControl<ReportDimension>
        aria-label="Compare by"
        size="xs"
        mb="sm"
        data={Object.entries(reportDimensions).map(([value, label]) => ({ value: value as ReportDimension, label }))}
        value={division}
        onChange={(by) => onChange({ ...filters, by })}
      />
      <QueryResult of={report}>
        {({ data: { startTime, endTime, rows } }) => (
          <FigureTable
            label="Delivery comparison"
            rows={rows.toSorted((one, other) => other.deployments - one.deployments)}
            columns={deliveryColumns}
            first={{
              head: reportDimensions[division],
              cell: ({ groupId = '', groupName = groupId }) => (
                <TextLink to="/console/reports" search={filtersForGroup(filters, division, groupId)} inherit>
                  {groupName}
                </TextLink>
              ),
              key: ({ groupId = '' }) => groupId,
            }}
            recordsOf={({ groupId }) => ({ ...scope, ...scopeOfGroup(division, groupId), startTime, endTime })}
          />
        )}
      </QueryResult>
    </Section>
  )
}
