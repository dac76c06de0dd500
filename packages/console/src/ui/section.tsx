import { Group, Paper, Title } from '@mantine/core'
import type { ReactNode } from 'react'

type Props = {
  title: string
  /** Name for assistive technologies; by default the title. Required if another section of the page has the title. */
  label?: string
  aside?: ReactNode
  children: ReactNode
}

export const Section = ({ title, label = title, aside, children }: Props) => (
  <Paper component="section" withBorder p="md" aria-label={label}>
    <Group justify="space-between" mb="sm">
      <Title order={2} size="h5">
        {title}
      </Title>
      {aside}
    </Group>
    {children}
  </Paper>
)
