import { Stack, Table, Text } from '@mantine/core'
import type { RehearsalEntry, RehearsalScenario } from '@sluice/contract'
import { describeExtraTasks, describeScenario } from '@sluice/contract/rehearsal-scenarios'
import { stageName } from '@sluice/contract/stages'
import { MarkerList } from '../instances/marker-list.tsx'
import { MetricChart } from '../instances/metric-chart.tsx'
import { ErrorPanel } from '../ui/error-panel.tsx'
import { Section } from '../ui/section.tsx'
import { DataTable } from '../ui/tables/data-table.tsx'
import { duration, InReadersTime, TimeOfDay } from '../ui/time.tsx'
import { rehearsalMarkers, trafficSeries } from './traffic-series.ts'

/** Shows the traffic and the timeline of a release in one scenario. */
export const ScenarioDetails = ({ scenario }: { scenario: RehearsalScenario }) => {
  const { timeline, error, peakTaskCount } = scenario
  const { label, description } = describeScenario(scenario)
  const [first, last] = [timeline[0], timeline.at(-1)]
  const markers = rehearsalMarkers(timeline)
  const hasTasks = peakTaskCount !== undefined && peakTaskCount > 0
  return (
    <Section title={label}>
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          {description} {describeExtraTasks(scenario)}
        </Text>
        {error && <ErrorPanel error={error} />}
        {first && last && (
          <>
            <MetricChart
              name="Traffic"
              unit="PERCENT"
              series={trafficSeries(timeline)}
              range={[Date.parse(first.at), Date.parse(last.at)]}
              markers={markers}
            />
            <MarkerList markers={markers} />
          </>
        )}
        <DataTable
          label="Timeline"
          head={[
            'Time',
            'Step',
            'New traffic',
            ...(hasTasks ? ['Old running', 'New running'] : []),
            'Failed requests',
            'Message',
          ]}
          minWidth={900}
        >
          {timeline.map((entry, index) => (
            <Entry key={`${entry.at} ${index}`} entry={entry} hasTasks={hasTasks} />
          ))}
        </DataTable>
      </Stack>
    </Section>
  )
}

const Entry = ({ entry, hasTasks }: { entry: RehearsalEntry; hasTasks: boolean }) => {
  const { seconds, newTrafficPercent, oldTaskCount, newTaskCount, errorPercent, message, decideBy } = entry
  return (
    <Table.Tr>
      <Table.Td style={{ whiteSpace: 'nowrap' }}>{duration(seconds * 1_000)}</Table.Td>
      <Table.Td>{stepOf(entry)}</Table.Td>
      <Table.Td>{newTrafficPercent} %</Table.Td>
      {hasTasks && <Table.Td>{oldTaskCount}</Table.Td>}
      {hasTasks && <Table.Td>{newTaskCount}</Table.Td>}
      <Table.Td>{errorPercent} %</Table.Td>
      <Table.Td>
        {message && (
          <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
            <InReadersTime sentence={message} />
          </Text>
        )}
        {decideBy && (
          <Text size="sm" c="dimmed">
            Waits for an approver until <TimeOfDay at={decideBy} />
          </Text>
        )}
      </Table.Td>
    </Table.Tr>
  )
}

function stepOf({ type, stepCode }: RehearsalEntry): string {
  if (stepCode !== undefined) return stageName(stepCode)
  return type === 'INCIDENT' ? 'Incident' : 'Change'
}
