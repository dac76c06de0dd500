import { Group, Paper, Title } from '@mantine/core'
import type { ReactNode } from 'react'

type Props = { title: string; aside?: ReactNode; children: ReactNode }

export const Section = ({ title, aside, children }: Props) => (
  <Paper component="section" withBorder p="md" aria-label={title}>
    <Group justify="space-between" mb="sm">
      <Title order={2} size="h5">
        {title}
      </Title>
      {aside}
    </Group>
    {children}
  </Paper>
)
