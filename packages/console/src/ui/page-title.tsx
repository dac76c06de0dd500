import { Group, Stack, Text, Title } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import type { ReactNode } from 'react'
import { useRecordVisit } from '../search/use-record-visit.ts'

type Props = {
  title: string
  /** Additional text in the browser tab, for pages with the same title. */
  of?: string | undefined
  above?: ReactNode
  below?: ReactNode
  aside?: ReactNode
}

export const PageTitle = ({ title, of, above, below, aside }: Props) => {
  useDocumentTitle([title, of, 'Sluice'].filter(Boolean).join(' · '))
  useRecordVisit(title)
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
