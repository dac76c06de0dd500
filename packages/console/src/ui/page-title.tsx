import { Group, Stack, Text, Title } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import type { ReactNode } from 'react'

type Props = { title: string; above?: ReactNode; below?: ReactNode; aside?: ReactNode }

export const PageTitle = ({ title, above, below, aside }: Props) => {
  useDocumentTitle(`${title} · Sluice`)
  return (
    <Group justify="space-between" align="flex-start" gap="md">
      <Stack gap={4} miw={0}>
        {above}
        <Title order={1} size="h2" style={{ overflowWrap: 'anywhere' }}>
          {title}
        </Title>
        {below && (
          <Text component="div" size="sm" c="dimmed">
            {below}
          </Text>
        )}
      </Stack>
      {aside}
    </Group>
  )
}
