import { Skeleton, Stack } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ErrorPanel, errorOf } from './error-panel.tsx'

type Props<T> = { of: UseQueryResult<T, Error>; lines?: number; children: (answer: T) => ReactNode }

/** What a page shows of an answer: while it is awaited, when it fails, and when it is there. */
export function Answer<T>({ of: { data, error }, lines = 4, children }: Props<T>): ReactNode {
  if (data !== undefined) return children(data)
  if (error) return <ErrorPanel error={errorOf(error)} />
  return (
    <Stack gap="sm" aria-busy="true" aria-label="Loading">
      {Array.from({ length: lines }, (_, line) => (
        <Skeleton key={line} height={36} radius="md" />
      ))}
    </Stack>
  )
}
