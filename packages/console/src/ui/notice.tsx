import { Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'

type Props = {
  title: string
  children?: ReactNode
  action?: ReactNode
  /** It is all that the page has. */
  isPage?: boolean
}

/** What a place says that has nothing to show, and what to do next. */
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
