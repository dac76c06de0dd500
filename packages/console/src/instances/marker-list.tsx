import { Group, Text } from '@mantine/core'
import { TimeOfDay } from '../ui/time.tsx'
import type { Marker } from './metric-markers.ts'

/** Lists what the numbered chart markers mean. */
export const MarkerList = ({ markers }: { markers: readonly Marker[] }) =>
  markers.length === 0 ? null : (
    <Group component="ol" gap="md" m={0} p={0} aria-label="Events in this period" style={{ listStyle: 'none' }}>
      {markers.map(({ at, label }, index) => (
        <Text key={`${at} ${label}`} component="li" size="xs">
          <b>{index + 1}</b> {label} <TimeOfDay at={new Date(at).toISOString()} />
        </Text>
      ))}
    </Group>
  )
