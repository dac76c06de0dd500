import { List, Text } from '@mantine/core'
import { IconAlertTriangle } from '../ui/icons.tsx'
import type { Problem } from './config-text.ts'

/** Lists the problems of a configuration with their lines. */
export const ProblemList = ({ text, faults }: { text: string; faults: readonly Problem[] }) => (
  <List size="sm" spacing="xs" listStyleType="none" aria-label="Problems">
    {faults.map(({ from, message }) => (
      <List.Item
        key={`${from} ${message}`}
        icon={<IconAlertTriangle size={16} aria-label="Problem" color="var(--mantine-color-error)" />}
      >
        <Text size="sm" style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
          Line {text.slice(0, from).split('\n').length}: {message}
        </Text>
      </List.Item>
    ))}
  </List>
)
