import { Group, SegmentedControl, SimpleGrid, Text } from '@mantine/core'
import type { ModuleInstance, ModuleInstanceMetric } from '@sluice/contract'
import { lazy, Suspense, useState } from 'react'
import { useOperation } from '../api/use-operation.ts'
import { Answer } from '../ui/answer.tsx'
import { ErrorPanel } from '../ui/error-panel.tsx'
import { Section } from '../ui/section.tsx'

/** The chart library is as large as all the rest: it is loaded where there is something to draw. */
const LineChart = lazy(() => import('./line-chart.tsx'))

const hourMs = 3_600_000
const ranges = { '1 h': hourMs, '3 h': 3 * hourMs, '1 day': 24 * hourMs, '1 week': 168 * hourMs }

/** Drawn anew as often as the cloud has a new point. */
const everyMs = 60_000
const chartHeight = 200

/** What the cloud measures of the instance. */
export const MetricsPanel = ({ instance: { id } }: { instance: ModuleInstance }) => {
  const [range, setRange] = useState<keyof typeof ranges>('3 h')
  const [from, setFrom] = useState(() => startOf('3 h'))
  const metrics = useOperation(
    'getModuleInstanceMetrics',
    { params: { id }, query: { startTime: from } },
    { refetchInterval: everyMs },
  )
  const choose = (chosen: string) => {
    setRange(chosen as keyof typeof ranges)
    setFrom(startOf(chosen as keyof typeof ranges))
  }
  return (
    <Section
      title="Metrics"
      aside={
        <SegmentedControl
          aria-label="How far back"
          size="xs"
          data={Object.keys(ranges)}
          value={range}
          onChange={choose}
        />
      }
    >
      <Answer of={metrics} lines={4}>
        {({ data }) => (
          <SimpleGrid cols={{ base: 1, md: 2 }}>
            {data.map((metric) => (
              <Chart key={metric.id} metric={metric} />
            ))}
          </SimpleGrid>
        )}
      </Answer>
    </Section>
  )
}

const startOf = (range: keyof typeof ranges): string => new Date(Date.now() - ranges[range]).toISOString()

const Chart = ({ metric: { name, points, error } }: { metric: ModuleInstanceMetric }) => {
  const latest = points.at(-1)
  return (
    <div>
      <Group justify="space-between" mb={4}>
        <Text size="sm" fw={600}>
          {name}
        </Text>
        {latest && <Text size="sm">{shortNumber(latest.value)}</Text>}
      </Group>
      {error && <ErrorPanel error={error} />}
      {!error && points.length === 0 && (
        <Text size="sm" c="dimmed" h={chartHeight}>
          The cloud measured nothing in this time.
        </Text>
      )}
      {points.length > 0 && (
        <Suspense fallback={<div style={{ height: chartHeight }} />}>
          <LineChart name={name} points={points} height={chartHeight} />
        </Suspense>
      )}
    </div>
  )
}

const shortNumber = (value: number): string =>
  new Intl.NumberFormat('en', { maximumSignificantDigits: 3, notation: 'compact' }).format(value)
