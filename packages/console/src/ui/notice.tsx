import { Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'

type Props = {
  title: string
  children?: ReactNode
  action?: ReactNode
  /** Level of its heading: 1 if the notice is the whole page, 2 if it is not in a section. */
  level?: 1 | 2 | 3
}

/** Empty state with the next action. */
export const Notice = ({ title, children, action, level = 3 }: Props) => (
  <Stack align="center" gap="xs" py={48} px="md" ta="center">
    <Title order={level} size="h3">
      {title}
    </Title>
    {children && (
      <Text c="dimmed" maw={520}>
        {children}
      </Text>
    )}
    {action}
  </Stack>
)
