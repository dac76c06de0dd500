import { Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'

type Props = {
  title: string
  children?: ReactNode
  action?: ReactNode
  /** Whether the notice is the whole page. */
  isPage?: boolean
}

/** Empty state with the next action. */
export const Notice = ({ title, children, action, isPage = false }: Props) => (
  <Stack align="center" gap="xs" py={48} px="md" ta="center">
    <Title order={isPage ? 1 : 3} size="h3">
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
