import { Group, Stack, Text, Title } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import type { ReactNode } from 'react'
import { useRecordVisit } from '../search/use-record-visit.ts'
import classes from './page-title.module.css'
import { useFocusAfterNavigation } from './use-focus-after-navigation.ts'

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
  const heading = useFocusAfterNavigation()
  return (
    <Group justify="space-between" align="flex-start" gap="md">
      <Stack gap={4} miw={0}>
        {above}
        <Title ref={heading} order={1} size="h2" tabIndex={-1} className={classes.heading ?? ''}>
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
