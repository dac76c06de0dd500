import { Button, Group, Paper, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './selection-bar.module.css'

type Props = { label: string; count: number; onClear: () => void; children: ReactNode }

/** Bar with the actions for selected rows. */
export const SelectionBar = ({ label, count, onClear, children }: Props) => (
  <Paper withBorder shadow="md" px="md" py="xs" className={classes.bar} component="section" aria-label={label}>
    <Group gap="xs">
      <Text size="sm" fw={600} role="status">
        {count} selected
      </Text>
      {children}
      <Button size="xs" variant="subtle" onClick={onClear}>
        Clear selection
      </Button>
    </Group>
  </Paper>
)
