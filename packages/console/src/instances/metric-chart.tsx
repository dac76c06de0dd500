import { Group, Text } from '@mantine/core'
import type { MetricUnit, UserFacingError } from '@sluice/contract'
import { lazy, Suspense } from 'react'
import { ErrorPanel } from '../ui/error-panel.tsx'
import type { Bound, Series } from './chart-scales.ts'
import { formatMetric } from './format-metric.ts'
import type { Marker } from './metric-markers.ts'

/** The chart library is as large as the rest of the page, so it is loaded on demand. */
const LineChart = lazy(() => import('./line-chart.tsx'))

const chartHeight = 200

type Props = {
  name: string
  unit: MetricUnit | undefined
  series: readonly Series[]
  bounds?: readonly Bound[]
  range: [from: number, to: number]
  markers: readonly Marker[]
  error?: UserFacingError | undefined
}

/** Shows a metric over time and its current value. */
export const MetricChart = ({ name, unit, series, bounds = [], range, markers, error }: Props) => {
  const isEmpty = series.every(({ points }) => points.length === 0)
  return (
    <div>
      <Group justify="space-between" mb={4} gap="xs">
        <Text size="sm" fw={600}>
          {name}
        </Text>
        <Group gap="sm">
          {series.map(({ name, points }) => (
            <Latest key={name} name={series.length > 1 ? name : undefined} value={points.at(-1)?.value} unit={unit} />
          ))}
        </Group>
      </Group>
      {error && <ErrorPanel error={error} />}
      {!error && isEmpty && (
        <Text size="sm" c="dimmed" h={chartHeight}>
          No data for this period.
        </Text>
      )}
      {!isEmpty && (
        <Suspense fallback={<div style={{ height: chartHeight }} />}>
          <LineChart
            name={name}
            series={series}
            inWords={(value) => formatMetric(value, unit)}
            bounds={bounds}
            height={chartHeight}
            range={range}
            markers={markers}
          />
        </Suspense>
      )}
    </div>
  )
}

type LatestProps = { name: string | undefined; value: number | undefined; unit: MetricUnit | undefined }

const Latest = ({ name, value, unit }: LatestProps) =>
  value === undefined ? null : (
    <Text size="sm">
      {name && (
        <Text span size="xs" c="dimmed">
          {name}{' '}
        </Text>
      )}
      {formatMetric(value, unit)}
    </Text>
  )
